// Uses RocksDB unmodified and prints its counts and the kernel's, for tests to compare with
// getio's.
//
//   truth defaults DIR                      an empty database with the library's own options
//   truth mixed DIR                         one with deleted ranges, merges, a dictionary and a log
//   truth families DIR                      one whose records are in the column family "state"
//   truth ingested DIR                      one with a table that was ingested over others, with its sequence number
//                                           written into it
//   truth blobs DIR FILES                   one with FILES blob files, as many tables, and a log
//   truth client DIR KEYS < FAMILIES        one with so many records in each column family, one per
//                                           line: its name in hexadecimal and its options
//   truth odd KIND DIR                      a small one as few programs write them
//   truth gets DIR CACHE META OPEN FAMILY < KEYS   Gets of the keys in a column family, one in hexadecimal per line,
//                                           made twice, of which the second are counted
//
// META is "outside" if indexes and filters are kept outside the block cache, "own" if the database is opened with the
// options of its own options file.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>
#include <random>
#include <string>

#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/version.h"

using namespace rocksdb;

static void Must(const Status& s) {
  if (s.ok()) return;
  fprintf(stderr, "%s\n", s.ToString().c_str());
  exit(1);
}

// What the library returns an opened database in.
#if ROCKSDB_MAJOR >= 10
using Opened = std::unique_ptr<DB>;
#else
using Opened = DB*;
#endif

static std::unique_ptr<DB> Open(const Options& o, const char* dir) {
  Opened db;
  Must(DB::Open(o, dir, &db));
  return std::unique_ptr<DB>(std::move(db));
}

// Calls of the kernel that read, of this process so far.
static long Calls() {
  FILE* f = fopen("/proc/self/io", "r");
  char line[100];
  long n = 0;
  while (f && fgets(line, sizeof line, f)) sscanf(line, "syscr: %ld", &n);
  if (f) fclose(f);
  return n;
}

static std::string Bytes(const std::string& hex) {
  std::string bytes;
  Must(Slice(hex).DecodeHex(&bytes) ? Status::OK() : Status::InvalidArgument(hex));
  return bytes;
}

class Append : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "truth.Append"; }
  bool Merge(const Slice&, const Slice* old, const Slice& more, std::string* out, Logger*) const override {
    *out = (old ? old->ToString() : "") + more.ToString();
    return true;
  }
};

static int Gets(char** args) {
  const auto cache = NewLRUCache(atoll(args[1]), -1, false, 0.5);
  const std::string name = Bytes(args[4]);
  DBOptions o;
  std::vector<ColumnFamilyDescriptor> families;
  if (!strcmp(args[2], "own")) {
    Must(LoadLatestOptions(ConfigOptions(), args[0], &o, &families));
    for (ColumnFamilyDescriptor& f : families) {
      auto table = f.options.table_factory->GetOptions<BlockBasedTableOptions>();
      table->block_cache = f.name == name ? cache : NewLRUCache(1 << 20);
    }
  } else {
    BlockBasedTableOptions table;
    table.block_cache = cache;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.cache_index_and_filter_blocks = strcmp(args[2], "outside") != 0;
    table.pin_top_level_index_and_filter = false;
    ColumnFamilyOptions family;
    family.merge_operator = std::make_shared<Append>();
    family.table_factory.reset(NewBlockBasedTableFactory(table));
    families.emplace_back(kDefaultColumnFamilyName, family);
    if (name != kDefaultColumnFamilyName) families.emplace_back(name, family);
  }
  o.max_open_files = atoi(args[3]);
  o.statistics = CreateDBStatistics();
  std::vector<ColumnFamilyHandle*> handles;
  Opened opened;
  Must(DB::OpenForReadOnly(o, args[0], families, &handles, &opened));
  std::unique_ptr<DB> db(std::move(opened));
  ColumnFamilyHandle* family = nullptr;
  for (ColumnFamilyHandle* h : handles) {
    if (h->GetName() == name) family = h;
  }
  std::vector<std::string> keys;
  for (std::string line; std::getline(std::cin, line);) keys.push_back(Bytes(line));
  // A first round opens the tables.
  for (const std::string& key : keys) {
    std::string value;
    db->Get(ReadOptions(), family, key, &value);
  }
  o.statistics->Reset();
  SetPerfLevel(PerfLevel::kEnableCount);
  get_perf_context()->Reset();
  const long first = Calls(), before = Calls();
  const long own = before - first;  // what looking takes
  size_t found = 0;
  const std::clock_t start = std::clock();
  for (const std::string& key : keys) {
    std::string value;
    Status s = db->Get(ReadOptions(), family, key, &value);
    if (!s.IsNotFound()) Must(s);
    found += s.ok();
  }
  const long spent = (std::clock() - start) * (1000000 / CLOCKS_PER_SEC);  // microseconds of CPU
  const long calls = Calls() - before - own;
  auto of = [&](Tickers t) { return (unsigned long long)o.statistics->getTickerCount(t); };
  printf("%zu %llu %llu %llu %llu %llu %llu %llu %llu %ld %ld\n", found, of(BLOCK_CACHE_FILTER_MISS), of(BLOCK_CACHE_FILTER_HIT),
         of(BLOCK_CACHE_INDEX_MISS), of(BLOCK_CACHE_INDEX_HIT), of(BLOCK_CACHE_DATA_MISS), of(BLOCK_CACHE_DATA_HIT),
         (unsigned long long)get_perf_context()->block_read_count, (unsigned long long)get_perf_context()->blob_read_count, calls, spent);
  for (ColumnFamilyHandle* h : handles) Must(db->DestroyColumnFamilyHandle(h));
  return 0;
}

static std::string Key(int i) {
  char key[20];
  snprintf(key, sizeof key, "key %06d", i);
  return key;
}

static int Mixed(const char* dir) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.metadata_block_size = 256;
  table.block_size = 512;
  Options o;
  o.create_if_missing = true;
  o.compression = kZSTD;
  o.compression_opts.max_dict_bytes = 4096;
  o.compression_opts.zstd_max_train_bytes = 65536;
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  o.disable_auto_compactions = true;
  auto db = Open(o, dir);
  for (int i = 0; i < 5000; i++) Must(db->Put(WriteOptions(), Key(i), "some value, number " + std::to_string(i)));
  Must(db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  Must(db->DeleteRange(WriteOptions(), db->DefaultColumnFamily(), Key(1000), Key(2000)));
  for (int i = 4900; i < 5100; i++) Must(db->Put(WriteOptions(), Key(i), "newer"));
  Must(db->Delete(WriteOptions(), Key(4999)));
  Must(db->Flush(FlushOptions()));
  Must(db->Put(WriteOptions(), Key(7000), "in the log"));
  Must(db->FlushWAL(true));
  return 0;
}

static int Families(const char* dir) {
  Options o;
  o.create_if_missing = true;
  auto db = Open(o, dir);
  ColumnFamilyHandle* state;
  Must(db->CreateColumnFamily(o, "state", &state));
  for (int i = 0; i < 1000; i++) Must(db->Put(WriteOptions(), state, Key(i), "state"));
  Must(db->Flush(FlushOptions(), state));
  Must(db->DestroyColumnFamilyHandle(state));
  ColumnFamilyHandle* binary;  // as Besu names them
  BlockBasedTableOptions table;
  table.block_size = 1 << 10;
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  Must(db->CreateColumnFamily(o, "\x0a", &binary));
  for (int i = 0; i < 1000; i++) Must(db->Put(WriteOptions(), binary, Key(i), "binary"));
  Must(db->Flush(FlushOptions(), binary));
  Must(db->DestroyColumnFamilyHandle(binary));
  ColumnFamilyHandle* blobs;
  o.enable_blob_files = true;
  o.min_blob_size = 5;
  Must(db->CreateColumnFamily(o, "blobs", &blobs));
  for (int i = 0; i < 1000; i++) Must(db->Put(WriteOptions(), blobs, Key(i), "a value that is long"));
  Must(db->Flush(FlushOptions(), blobs));
  Must(db->DestroyColumnFamilyHandle(blobs));
  return 0;
}

static int Ingested(const char* dir) {
  Options o;
  o.create_if_missing = true;
  auto db = Open(o, dir);
  for (int i = 0; i < 1000; i++) Must(db->Put(WriteOptions(), Key(i), "older"));
  Must(db->Flush(FlushOptions()));
  const std::string table = std::string(dir) + "/ingested";
  SstFileWriter writer(EnvOptions(), o);
  Must(writer.Open(table));
  for (int i = 0; i < 1000; i += 2) Must(writer.Put(Key(i), "ingested"));
  Must(writer.Finish());
  IngestExternalFileOptions how;
  how.move_files = how.write_global_seqno = true;
  Must(db->IngestExternalFile({table}, how));
  return 0;
}

// Blobs writes 100 keys for each file. Of every three keys, two have values that go to a blob file: one
// longer than the limit, one exactly as long. At the end, key 0 gets a short value, which hides its blob,
// and key 3 is deleted.
static int Blobs(const char* dir, int files) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.block_size = 512;
  Options o;
  o.create_if_missing = true;
  o.disable_auto_compactions = true;
  o.enable_blob_files = true;
  o.min_blob_size = 500;
  o.blob_compression_type = kLZ4Compression;
  o.prepopulate_blob_cache = PrepopulateBlobCache::kFlushOnly;
  o.blob_cache = NewLRUCache(1 << 20);
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  auto db = Open(o, dir);
  const size_t sizes[] = {1000, 500, 499};
  for (int i = 0; i < 100 * files; i++) {
    Must(db->Put(WriteOptions(), Key(i), std::string(sizes[i % 3], 'a' + i % 26)));
    if (i == 100 * files - 1) {
      Must(db->Put(WriteOptions(), Key(0), "short"));
      Must(db->Delete(WriteOptions(), Key(3)));
    }
    if (i % 100 == 99) Must(db->Flush(FlushOptions()));
  }
  Must(db->Put(WriteOptions(), Key(900000), std::string(1000, 'z')));
  Must(db->FlushWAL(true));
  return 0;
}

// Client writes random keys: three quarters are compacted into L3, and the others stay in L0.
static int Client(const char* dir, int keys) {
  Options o;
  o.create_if_missing = true;
  o.db_host_id = "getio";
  o.allow_concurrent_memtable_write = false;  // as memtables that hash prefixes need
  o.create_missing_column_families = true;
  std::vector<ColumnFamilyDescriptor> families{{kDefaultColumnFamilyName, o}};
  std::vector<size_t> filled;
  for (std::string line; std::getline(std::cin, line);) {
    const size_t space = line.find(' ');
    ColumnFamilyDescriptor f(Bytes(line.substr(0, space)), o);
    Must(GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(), line.substr(space + 1), &f.options));
    f.options.disable_auto_compactions = true;
    if (f.name == kDefaultColumnFamilyName) {
      families[0] = f;
      filled.push_back(0);
    } else {
      filled.push_back(families.size());
      families.push_back(f);
    }
  }
  std::vector<ColumnFamilyHandle*> handles;
  Opened opened;
  Must(DB::Open(o, dir, families, &handles, &opened));
  std::unique_ptr<DB> db(std::move(opened));
  std::mt19937_64 random(1);
  for (size_t f : filled) {
    ColumnFamilyHandle* const family = handles[f];
    const ColumnFamilyOptions& options = families[f].options;
    for (int i = 0; i < keys; i++) {
      // Half of the values are long enough for Besu's blob files, where the family has any.
      std::string key(32, 0), value(options.enable_blob_files && i % 2 == 0 ? 60 : 110, 0);
      for (size_t at = 0; at < key.size(); at++) key[at] = random();
      for (size_t at = 0; at < value.size() / 2; at++) value[at] = random();
      Must(db->Put(WriteOptions(), family, key, value));
      if (i == keys * 3 / 4) {
        CompactRangeOptions down;
        down.change_level = true;
        down.target_level = 3;
        Must(db->CompactRange(down, family, nullptr, nullptr));
      }
    }
    Must(db->Flush(FlushOptions(), family));
  }
  for (ColumnFamilyHandle* h : handles) Must(db->DestroyColumnFamilyHandle(h));
  return 0;
}

// Odd leaves the database as a killed program does.
static int Odd(const std::string& kind, const std::string& dir) {
  Options o;
  o.create_if_missing = true;
  o.merge_operator = std::make_shared<Append>();
  if (kind == "log") o.wal_dir = dir + "-log";
  if (kind == "reverse") o.comparator = ReverseBytewiseComparator();
  if (kind == "levels") o.num_levels = 12;
  if (kind == "paths") o.cf_paths.emplace_back(dir + "-tables", 1 << 30);
  if (kind == "plain") {
    o.allow_mmap_reads = true;
    o.prefix_extractor.reset(NewFixedPrefixTransform(4));
    o.table_factory.reset(NewPlainTableFactory());
  }
  const bool prepares = kind == "prepared" || kind == "committed" || kind == "policy";
  TransactionDBOptions policy;
  if (kind == "policy") policy.write_policy = WRITE_PREPARED;
  TransactionDB* transactions = nullptr;
  DB* db;
  if (prepares) {
    Must(TransactionDB::Open(o, policy, dir, &transactions));
    db = transactions;
  } else {
    db = Open(o, dir.c_str()).release();
  }
  for (int i = 0; i < 2000; i++) Must(db->Put(WriteOptions(), Key(i), "some value"));
  Must(db->Flush(FlushOptions()));
  if (kind == "levels") {
    CompactRangeOptions down;
    down.change_level = true;
    down.target_level = 11;
    Must(db->CompactRange(down, nullptr, nullptr));
  }
  if (kind == "merges") {
    for (int i = 0; i < 2000; i += 2) Must(db->Merge(WriteOptions(), Key(i), ", more"));
    Must(db->Flush(FlushOptions()));
    for (int i = 0; i < 100; i++) Must(db->Merge(WriteOptions(), Key(i), ", even more"));
  }
  if (kind == "log") Must(db->Put(WriteOptions(), Key(5000), "in the log"));
  if (prepares) {
    Transaction* one = transactions->BeginTransaction(WriteOptions());
    Must(one->SetName("one"));
    for (int i = 0; i < 10; i++) Must(one->Put(Key(3000 + i), "of a transaction"));
    Must(one->Prepare());
    if (kind == "committed") Must(one->Commit());
  }
  Must(db->FlushWAL(true));
  _exit(0);
}

int main(int argc, char** argv) {
  if (argc == 3 && !strcmp(argv[1], "defaults")) {
    Options o;
    o.create_if_missing = true;
    Open(o, argv[2]);
    return 0;
  }
  if (argc == 3 && !strcmp(argv[1], "mixed")) return Mixed(argv[2]);
  if (argc == 3 && !strcmp(argv[1], "ingested")) return Ingested(argv[2]);
  if (argc == 3 && !strcmp(argv[1], "families")) return Families(argv[2]);
  if (argc == 4 && !strcmp(argv[1], "blobs")) return Blobs(argv[2], atoi(argv[3]));
  if (argc == 4 && !strcmp(argv[1], "client")) return Client(argv[2], atoi(argv[3]));
  if (argc == 4 && !strcmp(argv[1], "odd")) return Odd(argv[2], argv[3]);
  if (argc == 7 && !strcmp(argv[1], "gets")) return Gets(argv + 2);
  return 2;
}
