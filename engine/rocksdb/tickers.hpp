// RocksDB's counts of a database.
#ifndef GETIO_ROCKSDB_TICKERS_HPP
#define GETIO_ROCKSDB_TICKERS_HPP

#include <atomic>
#include <cassert>

#include "cache.hpp"
#include "rocksdb/statistics.h"

namespace getio {

// Tickers are RocksDB's tickers without its histograms, which read the clock. Tickers of the
// block cache leave out lookups that open tables.
class Tickers : public rocksdb::Statistics {
 public:
  Tickers() { set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers); }

  const char* Name() const override { return "getio.Tickers"; }

  void recordTick(uint32_t ticker, uint64_t count) override {
    if (ticker >= rocksdb::TICKER_ENUM_MAX || opening && OfCache(ticker)) return;
    cells_[ThreadCell()].counts[ticker].fetch_add(count, std::memory_order_relaxed);
    if (ticker == rocksdb::STALL_MICROS) stalls_.fetch_add(1, std::memory_order_relaxed);
  }

  // Stalls counts the writes that had to wait: RocksDB records how long each did.
  uint64_t Stalls() const { return stalls_.load(std::memory_order_relaxed); }

  uint64_t getTickerCount(uint32_t ticker) const override {
    uint64_t sum = 0;
    for (const Cell& c : cells_) sum += c.counts[ticker].load(std::memory_order_relaxed);
    return sum;
  }

  // Counts are never set, and there are no histograms.
  void setTickerCount(uint32_t, uint64_t) override { assert(false); }
  uint64_t getAndResetTickerCount(uint32_t) override {
    assert(false);
    return 0;
  }
  void histogramData(uint32_t, rocksdb::HistogramData* const) const override {}
  void measureTime(uint32_t, uint64_t) override {}
  void recordInHistogram(uint32_t, uint64_t) override {}
  bool HistEnabledForType(uint32_t) const override { return false; }

 private:
  static bool OfCache(uint32_t ticker) {
    using namespace rocksdb;
    return ticker <= BLOCK_CACHE_BYTES_WRITE ||
           ticker >= BLOCK_CACHE_COMPRESSION_DICT_MISS && ticker <= BLOCK_CACHE_COMPRESSION_DICT_BYTES_INSERT;
  }

  struct alignas(128) Cell {
    std::atomic<uint64_t> counts[rocksdb::TICKER_ENUM_MAX] = {};
  };
  Cell cells_[kCells];
  std::atomic<uint64_t> stalls_{0};
};

}  // namespace getio

#endif
