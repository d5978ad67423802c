// What Go asks of RocksDB, in C. Everything that can fail returns a text of its own,
// to be freed, or NULL. What C++ throws, which is for want of memory, ends the process,
// as it does in Go.
#ifndef GETIO_ROCKSDB_BRIDGE_H
#define GETIO_ROCKSDB_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bridge_db bridge_db;
typedef struct bridge_scan bridge_scan;

// bridge_text is bytes that belong to whoever it was got from.
typedef struct {
  const char* data;
  size_t size;
} bridge_text;

// How the block cache is made.
typedef struct {
  int64_t bytes;
  int shard_bits;  // -1 leaves it to the library
  int hyper_clock;
  int64_t block_size;  // what HyperClock expects an entry to be charged
} bridge_cache;

// How a database is opened for reading.
typedef struct {
  bridge_text column_family;
  bridge_cache cache;
  int max_open_files;  // -1 keeps all tables open
  int cache_metadata, pin_l0, pin_top_level;
  int no_filters;         // are consulted
  int optimize_for_hits;  // those of the last level are not
  size_t tables;          // of the tree
} bridge_reading;

// How a database is opened for writing.
typedef struct {
  int create;  // it must not be there; else it must
  int64_t block_size, metadata_block_size;
  int restart_interval, index_restart_interval, format_version;
  int bloom_bits;
  int two_level_index, partition_filters;
  int cache_metadata, pin_l0, pin_top_level, optimize_for_hits;
  int compression;  // as RocksDB numbers them
  int64_t write_buffer_size;
  int max_write_buffers;
  int64_t target_file_size;
  int target_file_size_multiplier;
  int64_t l1_max_bytes;
  int level_multiplier, dynamic_level_bytes;
  int l0_compaction_trigger, l0_slowdown_trigger, l0_stop_trigger;
  int max_open_files, background_jobs;
  bridge_cache cache;
} bridge_writing;

// One table of a tree.
typedef struct {
  uint64_t number, size, smallest_seq, largest_seq;
  int level;
  bridge_text directory, smallest, largest;
} bridge_table;

// What is counted while a database is read. The first ones are RocksDB's own; those of
// the block cache leave out what it does to open tables, as do the last.
typedef struct {
  uint64_t hits, misses;
  uint64_t filter_hits, filter_misses;
  uint64_t index_hits, index_misses;
  uint64_t data_hits, data_misses;
  uint64_t dictionary_hits, dictionary_misses;
  uint64_t filter_negatives, filter_maybes;
  uint64_t opens;
  uint64_t reads, read_bytes;
  // Seen at the block cache: what was asked for, what was put in, hits of top indexes.
  uint64_t lookups, inserts, top_index_hits;
} bridge_counts;

// What is done to a database that is written to: flushes and compactions under way and
// over, and bytes still to be compacted.
typedef struct {
  uint64_t running, flushes, compactions, debt;
} bridge_settling;

// What was done to a database that is read and written to.
typedef struct {
  uint64_t flushes, compactions, running;
  uint64_t stalls, stalled_micros;  // writes that had to wait
  uint64_t tables_made, compacted;  // bytes, in RocksDB's own account
  uint64_t tables_written, logs_written, other_written;  // bytes, seen at the files
} bridge_activity;

// bridge_value is what a lookup found. size is -1 if it found nothing. A value that
// did not fit the buffer is in spilled, to be freed; so is error.
typedef struct {
  int64_t size;
  char* spilled;
  char* error;
} bridge_value;

const char* bridge_version(void);

// files is who opens and reads tables, failures who is told what RocksDB cannot go on
// from: what Go's functions are told when they are called.
char* bridge_open_read(bridge_text path, const bridge_reading* how, uintptr_t files, bridge_db** db);
char* bridge_open_write(bridge_text path, const bridge_writing* how, uintptr_t failures, bridge_db** db);
// It is read and written to, and what it counts is what anybody does.
char* bridge_open_update(bridge_text path, const bridge_writing* how, uintptr_t failures, uintptr_t files, bridge_db** db);
char* bridge_close(bridge_db* db);
// The names of column families, each with a zero byte behind it, to be freed.
char* bridge_column_families(bridge_text path, char** names, size_t* size);

// How many tables there are now; they are described until the next call.
size_t bridge_tables(bridge_db* db);
bridge_table bridge_table_at(bridge_db* db, size_t i);
uint64_t bridge_memory_keys(bridge_db* db);
char* bridge_property(bridge_db* db, const char* name);  // to be freed, "" without
uint64_t bridge_number(bridge_db* db, const char* name);
char* bridge_cache_options(bridge_db* db);  // to be freed
bridge_text bridge_comparator(bridge_db* db);

bridge_value bridge_get(bridge_db* db, const char* key, size_t key_size, char* buffer, size_t buffer_size);
bridge_counts bridge_count(bridge_db* db);

// A scan goes through keys in order, up to last if it is bounded.
bridge_scan* bridge_scan_new(bridge_db* db, const char* last, size_t last_size, int bounded);
void bridge_scan_seek(bridge_scan* scan, const char* first, size_t first_size);
// It fills buffers with at most so many records: sizes of key and value in 32 bits each,
// then both. filled is how many bytes that takes, 0 at the end; if the next record alone
// does not fit, needed is its size. RocksDB is asked for no record behind the last.
char* bridge_scan_next(bridge_scan* scan, size_t most, char* buffer, size_t size, size_t* filled, size_t* needed);
// It seeks a key, as a lookup of it.
bridge_value bridge_scan_find(bridge_scan* scan, const char* key, size_t key_size, char* buffer, size_t buffer_size);
void bridge_scan_free(bridge_scan* scan);

char* bridge_write(bridge_db* db, const char* batch, size_t size);
char* bridge_sync(bridge_db* db);
char* bridge_flush(bridge_db* db);
bridge_settling bridge_settle(bridge_db* db);
bridge_activity bridge_active(bridge_db* db);

#ifdef __cplusplus
}
#endif

#endif
