//go:build rocksdb

#include "bridge.hpp"
#include "rocksdb/convenience.h"
#include "rocksdb/table.h"

namespace getio {

using namespace rocksdb;

namespace {

class OpenedTables : public TableFactory {
 public:
  explicit OpenedTables(std::shared_ptr<TableFactory> library) : library_(std::move(library)) {}

  const char* Name() const override { return library_->Name(); }
  const Customizable* Inner() const override { return library_.get(); }
  Status PrepareOptions(const ConfigOptions& o) override { return library_->PrepareOptions(o); }
  Status ValidateOptions(const DBOptions& d, const ColumnFamilyOptions& c) const override {
    return library_->ValidateOptions(d, c);
  }
  bool IsDeleteRangeSupported() const override { return library_->IsDeleteRangeSupported(); }

  using TableFactory::NewTableReader;
  Status NewTableReader(const ReadOptions& ro, const TableReaderOptions& how,
                        std::unique_ptr<RandomAccessFileReader>&& file, uint64_t size,
                        std::unique_ptr<TableReader>* reader, bool prefetch) const override {
    opening = true;
    Status s = library_->NewTableReader(ro, how, std::move(file), size, reader, prefetch);
    opening = false;
    return s;
  }
  TableBuilder* NewTableBuilder(const TableBuilderOptions& how, WritableFileWriter* file) const override {
    return library_->NewTableBuilder(how, file);
  }
  // Overrides a function that the library has since 9.
  std::unique_ptr<TableFactory> Clone() const { return std::make_unique<OpenedTables>(library_); }

 protected:
  // The table options in the options file.
  std::string SerializeOptions(const ConfigOptions& o, const std::string& header) const override {
    return library_->ToString(o, header);
  }

 private:
  const std::shared_ptr<TableFactory> library_;
};

}  // namespace

std::shared_ptr<TableFactory> Tables(const BlockBasedTableOptions& how) {
  return std::make_shared<OpenedTables>(std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(how)));
}

std::shared_ptr<Cache> NewCache(const bridge_cache& how) {
  // Only an LRU cache of size 0 caches nothing.
  if (how.hyper_clock && how.bytes > 0) {
    return HyperClockCacheOptions(how.bytes, how.block_size, how.shard_bits).MakeSharedCache();
  }
  return NewLRUCache(LRUCacheOptions(how.bytes, how.shard_bits, false, 0.5));
}

}  // namespace getio
