// What differs between the versions of the library that the bridge compiles with, 7 to 11.
#ifndef GETIO_ROCKSDB_LIBRARY_HPP
#define GETIO_ROCKSDB_LIBRARY_HPP

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/version.h"

#if ROCKSDB_MAJOR < 7 || ROCKSDB_MAJOR > 11
#error "this bridge is written for RocksDB 7 to 11"
#endif

#if ROCKSDB_MAJOR >= 8
#include "rocksdb/advanced_cache.h"
#endif

namespace getio {

// ObservedCache forwards to another cache and shows what goes through.
#if ROCKSDB_MAJOR >= 8

class ObservedCache : public rocksdb::CacheWrapper {
 public:
  using CacheWrapper::CacheWrapper;

  const char* Name() const override { return target_->Name(); }

  rocksdb::Status Insert(const rocksdb::Slice& key, ObjectPtr value, const CacheItemHelper* helper, size_t charge,
                         Handle** handle, Priority priority, const rocksdb::Slice& compressed,
                         rocksdb::CompressionType type) override {
    Inserted(key);
    return target_->Insert(key, value, helper, charge, handle, priority, compressed, type);
  }
  Handle* Lookup(const rocksdb::Slice& key, const CacheItemHelper* helper, CreateContext* create, Priority priority,
                 rocksdb::Statistics* stats) override {
    Handle* h = target_->Lookup(key, helper, create, priority, stats);
    LookedUp(key, h != nullptr);
    return h;
  }

  std::string GetPrintableOptions() const override { return target_->GetPrintableOptions(); }

#else

class ObservedCache : public rocksdb::Cache {
 public:
  explicit ObservedCache(std::shared_ptr<rocksdb::Cache> target) : Cache(nullptr), target_(std::move(target)) {}

  const char* Name() const override { return target_->Name(); }

  rocksdb::Status Insert(const rocksdb::Slice& key, void* value, size_t charge, DeleterFn deleter, Handle** handle,
                         Priority priority) override {
    Inserted(key);
    return target_->Insert(key, value, charge, deleter, handle, priority);
  }
  rocksdb::Status Insert(const rocksdb::Slice& key, void* value, const CacheItemHelper* helper, size_t charge,
                         Handle** handle, Priority priority) override {
    Inserted(key);
    return target_->Insert(key, value, helper, charge, handle, priority);
  }
  Handle* Lookup(const rocksdb::Slice& key, rocksdb::Statistics* stats) override {
    Handle* h = target_->Lookup(key, stats);
    LookedUp(key, h != nullptr);
    return h;
  }
  Handle* Lookup(const rocksdb::Slice& key, const CacheItemHelper* helper, const CreateCallback& create,
                 Priority priority, bool wait, rocksdb::Statistics* stats) override {
    Handle* h = target_->Lookup(key, helper, create, priority, wait, stats);
    LookedUp(key, h != nullptr);
    return h;
  }

  bool Ref(Handle* h) override { return target_->Ref(h); }
  bool Release(Handle* h, bool erase) override { return target_->Release(h, erase); }
  bool Release(Handle* h, bool useful, bool erase) override { return target_->Release(h, useful, erase); }
  void* Value(Handle* h) override { return target_->Value(h); }
  void Erase(const rocksdb::Slice& key) override { target_->Erase(key); }
  uint64_t NewId() override { return target_->NewId(); }
  void SetCapacity(size_t n) override { target_->SetCapacity(n); }
  void SetStrictCapacityLimit(bool on) override { target_->SetStrictCapacityLimit(on); }
  bool HasStrictCapacityLimit() const override { return target_->HasStrictCapacityLimit(); }
  size_t GetCapacity() const override { return target_->GetCapacity(); }
  size_t GetUsage() const override { return target_->GetUsage(); }
  size_t GetUsage(Handle* h) const override { return target_->GetUsage(h); }
  size_t GetOccupancyCount() const override { return target_->GetOccupancyCount(); }
  size_t GetTableAddressCount() const override { return target_->GetTableAddressCount(); }
  size_t GetPinnedUsage() const override { return target_->GetPinnedUsage(); }
  size_t GetCharge(Handle* h) const override { return target_->GetCharge(h); }
  DeleterFn GetDeleter(Handle* h) const override { return target_->GetDeleter(h); }
  void DisownData() override { target_->DisownData(); }
  void ApplyToAllEntries(
      const std::function<void(const rocksdb::Slice&, void*, size_t, DeleterFn)>& callback,
      const ApplyToAllEntriesOptions& opts) override {
    target_->ApplyToAllEntries(callback, opts);
  }
  void EraseUnRefEntries() override { target_->EraseUnRefEntries(); }
  std::string GetPrintableOptions() const override { return target_->GetPrintableOptions(); }
  bool IsReady(Handle* h) override { return target_->IsReady(h); }
  void Wait(Handle* h) override { target_->Wait(h); }
  void WaitAll(std::vector<Handle*>& hs) override { target_->WaitAll(hs); }

 private:
  const std::shared_ptr<rocksdb::Cache> target_;
#endif

 protected:
  virtual void Inserted(const rocksdb::Slice& key) = 0;
  virtual void LookedUp(const rocksdb::Slice& key, bool found) = 0;
};

constexpr int kVersion = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;

// HashSeed is what the cache mixes into the hashes of its keys. Since 8.3, it differs from host to host.
inline uint64_t HashSeed(const rocksdb::Cache& cache) {
#if ROCKSDB_MAJOR > 8 || ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR >= 3
  return cache.GetHashSeed();
#else
  (void)cache;
  return 0;
#endif
}

// ShardHash is the hash of a key of 16 bytes in the block cache (XXPH3_64bits in util/xxph3.h). Its lowest bits are the
// number of the shard in an LRU cache (cache/sharded_cache.h).
inline uint32_t ShardHash(uint64_t first, uint64_t second, uint64_t seed) {
  first ^= 0xbe4ba423396cfeb8 + seed;
  second ^= 0x1cad21f72c81017c - seed;
  const unsigned __int128 product = static_cast<unsigned __int128>(first) * second;
  uint64_t h = 16 + first + second + (static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64));
  h = (h ^ (h >> 37)) * 0x165667b19e3779f9;
  return static_cast<uint32_t>(h ^ (h >> 32));
}

// kNewestFormat is the newest table format that the library reads and writes, kOldestFormat the oldest that it reads.
constexpr int kNewestFormat = kVersion >= 1004 ? 7 : kVersion >= 806 ? 6 : 5;
constexpr int kOldestFormat = kVersion >= 1100 ? 2 : 0;

// kBlockBytes is the size of the object that the library caches for an index or data block, beside its contents (class
// Block in table/block_based/block.h), kFilterBytes of that for a filter (BlockContents in table/format.h). Checksums of
// keys came with 8.3, memory of the caller with 11.5. With assertions, both hold a flag more.
constexpr int kBlockBytes = kVersion >= 1105 ? 104 : kVersion >= 803 ? 88 : 72;
constexpr int kFilterBytes = kVersion >= 1105 ? 48 : 32;
constexpr int kFlagBytes = 8;

// Opened is what the library returns an opened database in.
#if ROCKSDB_MAJOR >= 10
using Opened = std::unique_ptr<rocksdb::DB>;
inline std::unique_ptr<rocksdb::DB> Owned(Opened&& db) { return std::move(db); }
#else
using Opened = rocksdb::DB*;
inline std::unique_ptr<rocksdb::DB> Owned(Opened db) { return std::unique_ptr<rocksdb::DB>(db); }
#endif

// RequireOptionsFile makes it an error if the options file cannot be written. Since 10.2, it always is.
inline void RequireOptionsFile(rocksdb::DBOptions* o) {
#if ROCKSDB_MAJOR < 10 || ROCKSDB_MAJOR == 10 && ROCKSDB_MINOR < 2
  o->fail_if_options_file_error = true;
#else
  (void)o;
#endif
}

}  // namespace getio

#endif
