// What RocksDB itself counts of the values that it reads from blob files.
#ifndef GETIO_ROCKSDB_BLOBS_HPP
#define GETIO_ROCKSDB_BLOBS_HPP

#include <atomic>

#include "bridge.h"
#include "cache.hpp"
#include "rocksdb/perf_context.h"

namespace getio {

// BlobReads sums what the perf contexts of all threads count. No ticker counts these reads separately.
class BlobReads {
 public:
  void AddTo(bridge_counts* counts) const {
    for (const Cell& c : cells_) {
      counts->blob_reads += c.reads.load(std::memory_order_relaxed);
      counts->blob_bytes += c.bytes.load(std::memory_order_relaxed);
    }
  }

  // Scope adds the blob reads that its thread makes during its lifetime.
  class Scope {
   public:
    explicit Scope(BlobReads* to)
        : to_(to), context_(rocksdb::get_perf_context()), reads_(context_->blob_read_count), bytes_(context_->blob_read_byte) {}
    ~Scope() {
      const uint64_t reads = context_->blob_read_count - reads_;
      if (reads == 0) return;
      Cell& c = to_->cells_[ThreadCell()];
      c.reads.fetch_add(reads, std::memory_order_relaxed);
      c.bytes.fetch_add(context_->blob_read_byte - bytes_, std::memory_order_relaxed);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BlobReads* const to_;
    const rocksdb::PerfContext* const context_;
    const uint64_t reads_, bytes_;
  };

 private:
  struct alignas(128) Cell {
    std::atomic<uint64_t> reads{0}, bytes{0};
  };
  Cell cells_[kCells];
};

}  // namespace getio

#endif
