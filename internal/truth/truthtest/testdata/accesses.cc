// Uses RocksDB unmodified and prints each access of Gets to the block cache, as RocksDB traces them.
//
//   accesses DIR CACHE PIN < KEYS   Gets of the keys, one in hexadecimal per line, from an empty cache of one shard, with
//                                   all tables open. If PIN is "true", tables pin their top-level indexes, and tables in
//                                   L0 pin all their index and filter blocks. Prints the bytes that are pinned, and then
//                                   for each access the table, the kind of block, and whether it was a hit.
//
// RocksDB charges a block for the memory that malloc returned for it. glibc's malloc sometimes returns 16 bytes more
// than it needs to. Here, malloc_usable_size always returns the minimum.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include "rocksdb/version.h"
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 708
int main() { return 77; }
#else
#include "rocksdb/block_cache_trace_writer.h"
#include "rocksdb/cache.h"
#if ROCKSDB_MAJOR >= 8
#include "rocksdb/advanced_cache.h"
#endif
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

extern "C" {
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

// Piece precedes each allocation: its size, and its distance from the start of glibc's own allocation.
struct Piece {
  size_t bytes, shift;
};

static Piece* PieceOf(void* p) { return static_cast<Piece*>(p) - 1; }

static void* Aligned(size_t to, size_t bytes) {
  const size_t shift = to < sizeof(Piece) ? sizeof(Piece) : to;
  char* all = static_cast<char*>(__libc_memalign(shift, shift + bytes));
  if (all == nullptr) return nullptr;
  *PieceOf(all + shift) = Piece{bytes, shift};
  return all + shift;
}

void* malloc(size_t bytes) { return Aligned(16, bytes); }

void free(void* p) {
  if (p != nullptr) __libc_free(static_cast<char*>(p) - PieceOf(p)->shift);
}

void* calloc(size_t n, size_t each) {
  void* p = malloc(n * each);
  return p == nullptr ? p : memset(p, 0, n * each);
}

void* realloc(void* old, size_t bytes) {
  void* p = malloc(bytes);
  if (p == nullptr || old == nullptr) return p;
  memcpy(p, old, PieceOf(old)->bytes < bytes ? PieceOf(old)->bytes : bytes);
  free(old);
  return p;
}

void* memalign(size_t to, size_t bytes) { return Aligned(to, bytes); }
void* aligned_alloc(size_t to, size_t bytes) { return Aligned(to, bytes); }

int posix_memalign(void** p, size_t to, size_t bytes) {
  *p = Aligned(to, bytes);
  return *p == nullptr;
}

// glibc allocates chunks of at least 32 bytes, in multiples of 16. The first 8 bytes of a chunk are its own.
size_t malloc_usable_size(void* p) {
  if (p == nullptr) return 0;
  const size_t chunk = (PieceOf(p)->bytes + 8 + 15) / 16 * 16;
  return (chunk < 32 ? 32 : chunk) - 8;
}
}

using namespace rocksdb;

static void Must(const Status& s) {
  if (s.ok()) return;
  fprintf(stderr, "%s\n", s.ToString().c_str());
  exit(1);
}

class Accesses : public BlockCacheTraceWriter {
 public:
  Status WriteBlockAccess(const BlockCacheTraceRecord& a, const Slice&, const Slice&, const Slice&) override {
    const char* kind = a.block_type == kBlockTraceIndexBlock    ? "index"
                       : a.block_type == kBlockTraceFilterBlock ? "filter"
                       : a.block_type == kBlockTraceDataBlock   ? "data"
                                                                : "other";
    printf("%llu %s %s\n", (unsigned long long)a.sst_fd_number, kind, a.is_cache_hit ? "true" : "false");
    return Status::OK();
  }
  Status WriteHeader() override { return Status::OK(); }
};

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(atoll(argv[2]), 0, false, 0.5);
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;
  table.pin_top_level_index_and_filter = table.pin_l0_filter_and_index_blocks_in_cache = !strcmp(argv[3], "true");
  Options o;
  o.table_factory.reset(NewBlockBasedTableFactory(table));
#if ROCKSDB_MAJOR >= 10
  std::unique_ptr<DB> db;
#else
  DB* db;
#endif
  Must(DB::OpenForReadOnly(o, argv[1], &db));
  table.block_cache->EraseUnRefEntries();  // blocks read while tables were opened
  printf("%zu\n", table.block_cache->GetPinnedUsage());
  Must(db->StartBlockCacheTrace(BlockCacheTraceOptions(), std::make_unique<Accesses>()));
  std::string value;
  for (std::string line, key; std::getline(std::cin, line);) {
    if (!Slice(line).DecodeHex(&key)) return 2;
    Status s = db->Get(ReadOptions(), key, &value);
    if (!s.IsNotFound()) Must(s);
  }
  Must(db->EndBlockCacheTrace());
  Must(db->Close());
}
#endif
