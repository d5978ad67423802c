// The C interface between Go and RocksDB. Functions that can fail return the error's text,
// which the caller frees, or NULL. C++ exceptions, thrown when memory runs out, end the
// process, as in Go.
#ifndef GETIO_ROCKSDB_BRIDGE_H
#define GETIO_ROCKSDB_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bridge_db bridge_db;
typedef struct bridge_scan bridge_scan;

// bridge_text is bytes that the sender owns.
typedef struct {
  const char* data;
  size_t size;
} bridge_text;

// Options of the block cache.
typedef struct {
  int64_t bytes;
  int shard_bits;  // -1: the library's choice
  int hyper_clock;
  int64_t block_size;  // the entry charge that HyperClock expects
} bridge_cache;

// Options for opening a database for reading.
typedef struct {
  bridge_text column_family;
  bridge_cache cache;
  bridge_text options;  // of the database and of the column family, as Apply (options.cc) reads them
  int max_open_files;   // -1 keeps all tables open
  int levels;           // at least as many as the tree has
  int no_filters;       // consult no filters
  size_t tables;        // number in the tree
  int all_families;     // open all column families, to describe them
} bridge_reading;

// Options for opening a database for writing.
typedef struct {
  int create;  // 1: it must not exist; 0: it must
  int64_t block_size, metadata_block_size;
  int restart_interval, index_restart_interval, format_version;
  int bloom_bits;
  int two_level_index, partition_filters;
  bridge_text options;  // others, as Apply (options.cc) reads them
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
  int other;  // the table belongs to another column family
  bridge_text directory, smallest, largest;
} bridge_table;

// An open column family.
typedef struct {
  bridge_text name;
  uint64_t tables, bytes, blob_files, blob_bytes;
} bridge_family;

// A blob file.
typedef struct {
  uint64_t number, size;
  bridge_text directory, name;
} bridge_blob;

// Counts of a database that is read, RocksDB's own first. Counts of the block cache leave
// out lookups that open tables.
typedef struct {
  uint64_t hits, misses;
  uint64_t filter_hits, filter_misses;
  uint64_t index_hits, index_misses;
  uint64_t data_hits, data_misses;
  uint64_t dictionary_hits, dictionary_misses;
  uint64_t filter_negatives, filter_positives;
  uint64_t opens;
  uint64_t reads, read_bytes;
  uint64_t blob_reads, blob_bytes;  // of values in blob files, by RocksDB's perf context
  // Counted at the block cache: lookups, inserts, hits of top indexes.
  uint64_t lookups, inserts, top_index_hits;
} bridge_counts;

// Flushes and compactions in progress and completed, and bytes still to be compacted.
typedef struct {
  uint64_t running, flushes, compactions, debt;
} bridge_settling;

// What was done with a database that is read and written.
typedef struct {
  uint64_t flushes, compactions, running;
  uint64_t stalls, stalled_micros;  // of writes that had to wait
  uint64_t tables_made, compacted;  // bytes that RocksDB reports
  uint64_t tables_written, logs_written, other_written;  // bytes counted at the files
} bridge_activity;

// bridge_value is the result of a lookup. size is -1 if it found nothing. A value that does
// not fit the buffer is in spilled. The caller frees spilled and error.
typedef struct {
  int64_t size;
  char* spilled;
  char* error;
} bridge_value;

const char* bridge_version(void);
int bridge_is_static(void);  // the library is part of the program
int bridge_newest_format(void), bridge_oldest_format(void);  // of tables
int bridge_block_bytes(void), bridge_filter_bytes(void);     // of objects in the block cache, without the contents

// files and failures are handles that Go's functions receive: files opens and reads tables,
// failures receives errors that RocksDB cannot recover from.
char* bridge_open_read(bridge_text path, const bridge_reading* how, uintptr_t files, bridge_db** db);
char* bridge_open_write(bridge_text path, const bridge_writing* how, uintptr_t failures, bridge_db** db);
// For reading and writing. It counts Gets, flushes and compactions together.
char* bridge_open_update(bridge_text path, const bridge_writing* how, uintptr_t failures, uintptr_t files, bridge_db** db);
char* bridge_close(bridge_db* db);
// The names of column families, each followed by a zero byte; the caller frees them.
char* bridge_column_families(bridge_text path, char** names, size_t* size);

// The names of the options of bridge_reading that the library does not have or whose values it refuses, one per
// line; freed by the caller.
char* bridge_not_applied(bridge_db* db);
// The library's options with their defaults, each on a line as in an options file; the caller frees the text.
char* bridge_default_options(void);

// The number of tables of the open column families. bridge_table_at describes them until the next call.
size_t bridge_tables(bridge_db* db);
bridge_table bridge_table_at(bridge_db* db, size_t i);
// The number of blob files of the column family. bridge_blob_at describes them until the next call.
size_t bridge_blobs(bridge_db* db);
bridge_blob bridge_blob_at(bridge_db* db, size_t i);
// The number of open column families. bridge_family_at describes them until the next call.
size_t bridge_families(bridge_db* db);
bridge_family bridge_family_at(bridge_db* db, size_t i);
uint64_t bridge_memory_keys(bridge_db* db);
uint64_t bridge_prepared_records(bridge_db* db);  // in the log, of transactions that are not committed
char* bridge_property(bridge_db* db, const char* name);  // freed by the caller; "" if unknown
uint64_t bridge_number(bridge_db* db, const char* name);
char* bridge_cache_options(bridge_db* db);  // freed by the caller
bridge_text bridge_comparator(bridge_db* db);
char* bridge_prefix_extractor(bridge_db* db);  // as tables name it; "" if there is none; freed by the caller

bridge_value bridge_get(bridge_db* db, const char* key, size_t key_size, char* buffer, size_t buffer_size);
bridge_counts bridge_count(bridge_db* db);

// A scan visits keys in order, up to last if it is bounded: all, or those whose newest record is in memory.
bridge_scan* bridge_scan_new(bridge_db* db, const char* last, size_t last_size, int bounded, int memory_only);
void bridge_scan_seek(bridge_scan* scan, const char* first, size_t first_size);
// Fills the buffer with at most `most` records: the sizes of key and value, 32 bits each,
// then both. filled is the number of bytes, 0 at the end. If the next record alone does not
// fit, needed is its size. Nothing beyond the last record is read.
char* bridge_scan_next(bridge_scan* scan, size_t most, char* buffer, size_t size, size_t* filled, size_t* needed);
// Looks a key up by seeking it.
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
