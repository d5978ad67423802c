// Declarations shared by the parts of the bridge.
#ifndef GETIO_ROCKSDB_BRIDGE_HPP
#define GETIO_ROCKSDB_BRIDGE_HPP

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "blobs.hpp"
#include "cache.hpp"
#include "library.hpp"
#include "tickers.hpp"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/wal_filter.h"

namespace getio {

// Prepared follows the transactions in the log that is replayed.
class Prepared : public rocksdb::WalFilter {
 public:
  const char* Name() const override { return "getio.Prepared"; }
  WalProcessingOption LogRecordFound(unsigned long long, const std::string&, const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch*, bool*) override;
  // Records is how many records of a column family belong to transactions that are prepared, and neither committed nor
  // rolled back.
  uint64_t Records(uint32_t family) const;

 private:
  std::map<std::string, std::map<uint32_t, uint64_t>> records_;  // by transaction and column family
};

// Written counts the bytes written to the files of a database.
struct Written {
  std::atomic<uint64_t> tables{0}, logs{0}, other{0};
};

// ReadOnly makes a file system whose tables Go reads and counts. It denies every write.
std::shared_ptr<rocksdb::FileSystem> ReadOnly(uintptr_t owner);

// ReadAndWritten makes one that also counts what is written.
std::shared_ptr<rocksdb::FileSystem> ReadAndWritten(uintptr_t owner, Written* written);

// Tables makes the library's table factory, which sets `opening` while it opens a table.
std::shared_ptr<rocksdb::TableFactory> Tables(const rocksdb::BlockBasedTableOptions& how);

std::shared_ptr<rocksdb::Cache> NewCache(const bridge_cache& how);

// Apply sets options, each on a line as SECTION.NAME=VALUE with the sections of an options file. It returns the lines'
// names that the library does not have, or whose values it refuses, each followed by a newline.
std::string Apply(const std::string& lines, rocksdb::Options* options, rocksdb::BlockBasedTableOptions* table);

// Silent keeps RocksDB from writing its LOG into the directory.
class Silent : public rocksdb::Logger {
 public:
  Silent() : Logger(rocksdb::InfoLogLevel::HEADER_LEVEL) {}
  void Logv(const char*, va_list) override {}
};

// Background counts flushes and compactions, with the bytes that the library reports.
struct Background {
  std::atomic<uint64_t> flushes{0}, compactions{0}, tables_made{0}, compacted{0};
  // Fail keeps the first error that the library cannot recover from.
  void Fail(const rocksdb::Status& s) {
    std::lock_guard<std::mutex> lock(failing_);
    if (failure_.ok()) failure_ = s;
  }
  rocksdb::Status Failure() {
    std::lock_guard<std::mutex> lock(failing_);
    return failure_;
  }

 private:
  std::mutex failing_;
  rocksdb::Status failure_;
};

char* Copy(const std::string& text);
char* ErrorOf(const rocksdb::Status& s);
// Found copies a value into the buffer if it fits.
bridge_value Found(const rocksdb::Slice& value, char* buffer, size_t buffer_size);
inline rocksdb::Slice SliceOf(bridge_text t) { return rocksdb::Slice(t.data, t.size); }
inline bridge_text TextOf(const std::string& s) { return bridge_text{s.data(), s.size()}; }

}  // namespace getio

// An open database. Members are destroyed in reverse order, so those that the database uses
// come before it.
struct bridge_db {
  getio::Written written;
  getio::Background background;
  std::shared_ptr<rocksdb::FileSystem> files;
  std::unique_ptr<rocksdb::Env> env;
  std::shared_ptr<rocksdb::Cache> cache;
  std::shared_ptr<getio::CountingCache> counting;  // the cache if it counts, else null
  std::shared_ptr<getio::Tickers> tickers;
  getio::Prepared prepared;
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::ColumnFamilyHandle* family = nullptr;
  getio::BlobReads blob_reads;
  std::string not_applied;
  std::vector<rocksdb::LiveFileMetaData> tables;
  std::vector<rocksdb::BlobMetaData> blobs;
  std::vector<rocksdb::ColumnFamilyMetaData> families;
};

#endif
