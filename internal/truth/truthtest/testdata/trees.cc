// Writes databases and counts the reads of Gets with RocksDB unmodified, in a file system of its own.
//
//   trees write DIR < OPERATIONS    each a byte, and a key and a value after their lengths of 4 bytes each
//   trees read DIR CACHE SHARDBITS < QUESTIONS
//
// Questions are lines: "entries" prints each key in hexadecimal and the length of its value, and an empty line; "gets N
// WORKERS SEED" looks up N keys, drawn uniformly from all, and prints the number and the bytes of the reads of table
// files.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/version.h"

using namespace rocksdb;

static void Must(const Status& s) {
  if (s.ok()) return;
  fprintf(stderr, "%s\n", s.ToString().c_str());
  exit(1);
}

// The kinds of operations, in the order of package truth.
enum class Kind { kSet, kDelete, kSingleDelete, kMerge, kDeleteRange, kSnapshot, kFlush, kCompact, kPause };

// What the library returns an opened database in.
#if ROCKSDB_MAJOR >= 10
using Opened = std::unique_ptr<DB>;
#else
using Opened = DB*;
#endif

static std::unique_ptr<DB> Open(const std::string& dir, bool paused) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;
  Options o;
  o.create_if_missing = true;
  o.write_buffer_size = 512 << 10;
  o.target_file_size_base = 128 << 10;
  o.max_bytes_for_level_base = 1 << 20;
  o.disable_auto_compactions = paused;
  o.level0_slowdown_writes_trigger = o.level0_stop_writes_trigger = 10000;
  Must(MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &o.merge_operator));
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  Opened db;
  Must(DB::Open(o, dir, &db));
  return std::unique_ptr<DB>(std::move(db));
}

static bool Next(std::string* to) {
  uint32_t size;
  if (fread(&size, sizeof size, 1, stdin) != 1) return false;
  to->resize(size);
  return size == 0 || fread(&(*to)[0], 1, size, stdin) == size;
}

static int Write(const std::string& dir) {
  std::unique_ptr<DB> db = Open(dir, false);
  std::vector<const Snapshot*> snapshots;
  const WriteOptions w;
  std::string key, value;
  for (int kind; (kind = getchar()) != EOF;) {
    if (!Next(&key) || !Next(&value)) Must(Status::InvalidArgument("an operation ends early"));
    switch (Kind(kind)) {
      case Kind::kSet: Must(db->Put(w, key, value)); break;
      case Kind::kDelete: Must(db->Delete(w, key)); break;
      case Kind::kSingleDelete: Must(db->SingleDelete(w, key)); break;
      case Kind::kMerge: Must(db->Merge(w, key, value)); break;
      case Kind::kDeleteRange: Must(db->DeleteRange(w, db->DefaultColumnFamily(), key, value)); break;
      case Kind::kSnapshot: snapshots.push_back(db->GetSnapshot()); break;
      case Kind::kFlush: Must(db->Flush(FlushOptions())); break;
      case Kind::kCompact: Must(db->CompactRange(CompactRangeOptions(), nullptr, nullptr)); break;
      case Kind::kPause:
        db.reset();
        db = Open(dir, true);
        break;
      default: Must(Status::InvalidArgument("unknown operation"));
    }
  }
  for (const Snapshot* s : snapshots) db->ReleaseSnapshot(s);
  db.reset();
  return 0;
}

static std::atomic<long> reads, bytes;

static void Count(size_t n) {
  reads++;
  bytes += n;
}

// Reads of a file, counted.
class CountedFile : public FSRandomAccessFileOwnerWrapper {
 public:
  using FSRandomAccessFileOwnerWrapper::FSRandomAccessFileOwnerWrapper;
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& o, Slice* result, char* scratch, IODebugContext* c) const override {
    Count(n);
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, o, result, scratch, c);
  }
  IOStatus MultiRead(FSReadRequest* r, size_t n, const IOOptions& o, IODebugContext* c) override {
    for (size_t i = 0; i < n; i++) Count(r[i].len);
    return FSRandomAccessFileOwnerWrapper::MultiRead(r, n, o, c);
  }
};

class CountedFiles : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "counted"; }
  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& o, std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* c) override {
    IOStatus s = FileSystemWrapper::NewRandomAccessFile(name, o, result, c);
    if (s.ok() && name.size() > 4 && name.compare(name.size() - 4, 4, ".sst") == 0) result->reset(new CountedFile(std::move(*result)));
    return s;
  }
};

static void Gets(DB* db, const std::vector<std::pair<std::string, size_t>>& entries, long n, unsigned long long seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<size_t> draw(0, entries.size() - 1);
  for (long i = 0; i < n; i++) {
    PinnableSlice value;
    Must(db->Get(ReadOptions(), db->DefaultColumnFamily(), entries[draw(random)].first, &value));
  }
}

static int Read(const std::string& dir, size_t cache_bytes, int shard_bits) {
  static auto env = NewCompositeEnv(std::make_shared<CountedFiles>(FileSystem::Default()));
  DBOptions o;
  ConfigOptions config;
  std::vector<ColumnFamilyDescriptor> families;
  Must(LoadLatestOptions(config, dir, &o, &families));
  o.env = env.get();
  auto cache = NewLRUCache(cache_bytes, shard_bits, false, 0.5);
  for (auto& f : families) {
    auto* table = f.options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table == nullptr) Must(Status::NotSupported("tables are not block-based"));
    table->block_cache = cache;
    table->no_block_cache = false;
  }
  std::vector<ColumnFamilyHandle*> handles;
  Opened opened;
  Must(DB::OpenForReadOnly(o, dir, families, &handles, &opened));
  std::unique_ptr<DB> db(std::move(opened));
  std::vector<std::pair<std::string, size_t>> entries;
  {
    std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key().ToString(), it->value().size());
    Must(it->status());
  }
  for (std::string line; std::getline(std::cin, line);) {
    long n, workers;
    unsigned long long seed;
    if (line == "entries") {
      for (auto& e : entries) printf("%s %zu\n", Slice(e.first).ToString(true).c_str(), e.second);
      printf("\n");
    } else if (sscanf(line.c_str(), "gets %ld %ld %llu", &n, &workers, &seed) == 3) {
      const long reads_before = reads, bytes_before = bytes;
      std::vector<std::thread> threads;
      for (long w = 0; w < workers; w++) threads.emplace_back(Gets, db.get(), std::cref(entries), (n + w) / workers, seed + w);
      for (std::thread& t : threads) t.join();
      printf("%ld %ld\n", reads - reads_before, bytes - bytes_before);
    } else {
      Must(Status::InvalidArgument(line));
    }
    fflush(stdout);
  }
  for (ColumnFamilyHandle* h : handles) Must(db->DestroyColumnFamilyHandle(h));
  db.reset();
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 3 && !strcmp(argv[1], "write")) return Write(argv[2]);
  if (argc == 5 && !strcmp(argv[1], "read")) return Read(argv[2], strtoull(argv[3], nullptr, 10), atoi(argv[4]));
  fprintf(stderr, "usage: trees write DIR | trees read DIR CACHE SHARDBITS\n");
  return 2;
}
