// The block cache of a database opened for reading.
#ifndef GETIO_ROCKSDB_CACHE_HPP
#define GETIO_ROCKSDB_CACHE_HPP

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "bridge.h"
#include "library.hpp"

namespace getio {

// Whether this thread is opening a table, which is not attributed to a Get.
extern thread_local bool opening;

// Whether this thread's last read was a top index that is not in the cache yet: RocksDB
// inserts it on the same thread, before it reads another block.
extern thread_local bool read_top_index;

// The hash of the key that this thread has missed in a counted cache since its last read; 0 if there is none. A Get reads
// the block of that key next.
extern thread_local uint32_t missed;

// ThreadCell assigns threads to cells, so that concurrent Gets seldom share one.
constexpr size_t kCells = 16;
inline size_t ThreadCell() {
  static std::atomic<size_t> next{0};
  static thread_local const size_t cell = next++ % kCells;
  return cell;
}

// Keys is a set of cache keys of a maximum size, from which none is removed. It is safe for
// concurrent use and takes no lock.
class Keys {
 public:
  explicit Keys(size_t most) : mask_(1) {
    while (mask_ < 4 * most + 16) mask_ *= 2;
    slots_.reset(new std::atomic<uint64_t>[mask_]);
    for (size_t i = 0; i < mask_; i++) slots_[i].store(0, std::memory_order_relaxed);
    mask_--;
  }

  void Add(const rocksdb::Slice& key) {
    const uint64_t h = Hash(key);
    for (size_t i = h & mask_;; i = (i + 1) & mask_) {
      uint64_t there = 0;
      if (slots_[i].compare_exchange_strong(there, h) || there == h) return;
    }
  }

  bool Has(const rocksdb::Slice& key) const {
    const uint64_t h = Hash(key);
    for (size_t i = h & mask_;; i = (i + 1) & mask_) {
      const uint64_t there = slots_[i].load(std::memory_order_relaxed);
      if (there == h) return true;
      if (there == 0) return false;
    }
  }

 private:
  // RocksDB's keys have 16 bytes; 64 bits suffice for so few. 0 marks an empty slot.
  static uint64_t Hash(const rocksdb::Slice& key) {
    uint64_t parts[2] = {0, 0};
    memcpy(parts, key.data(), std::min(key.size(), sizeof parts));
    uint64_t h = (parts[0] ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd + parts[1];
    h = (h ^ (h >> 32)) * 0xc4ceb9fe1a85ec53;
    h ^= h >> 29;
    return h == 0 ? 1 : h;
  }

  size_t mask_;
  std::unique_ptr<std::atomic<uint64_t>[]> slots_;
};

// CountingCache counts the lookups of another cache. It knows which entries are top
// indexes, which RocksDB counts together with their partitions.
class CountingCache : public ObservedCache {
 public:
  CountingCache(std::shared_ptr<rocksdb::Cache> cache, size_t tables)
      : ObservedCache(std::move(cache)), seed_(HashSeed(*this)), top_indexes_(tables) {}

  void AddTo(bridge_counts* counts) const {
    for (const Cell& c : cells_) {
      counts->lookups += c.lookups.load(std::memory_order_relaxed);
      counts->top_index_hits += c.top_index_hits.load(std::memory_order_relaxed);
      counts->inserts += c.inserts.load(std::memory_order_relaxed);
    }
  }

 protected:
  void Inserted(const rocksdb::Slice& key) override {
    if (read_top_index) top_indexes_.Add(key);
    read_top_index = false;
    if (!opening) cells_[ThreadCell()].inserts.fetch_add(1, std::memory_order_relaxed);
  }

  void LookedUp(const rocksdb::Slice& key, bool found) override {
    uint64_t parts[2];
    if (!found && key.size() == sizeof parts) {
      memcpy(parts, key.data(), sizeof parts);
      missed = ShardHash(parts[0], parts[1], seed_);
    }
    if (opening) return;
    Cell& c = cells_[ThreadCell()];
    c.lookups.fetch_add(1, std::memory_order_relaxed);
    if (found && top_indexes_.Has(key)) c.top_index_hits.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  struct alignas(128) Cell {
    std::atomic<uint64_t> lookups{0}, inserts{0}, top_index_hits{0};
  };

  const uint64_t seed_;
  Keys top_indexes_;
  Cell cells_[kCells];
};

}  // namespace getio

#endif
