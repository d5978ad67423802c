//go:build rocksdb

#include "bridge.hpp"
#include "rocksdb/version.h"
#include "rocksdb/write_batch.h"

using namespace rocksdb;

namespace {

// Transactions notes what a batch does to transactions: it prepares one with the batch's records, or ends one.
struct Transactions : public WriteBatch::Handler {
  std::map<uint32_t, uint64_t> records;  // by column family
  std::string prepared, ended;           // names

  Status Count(uint32_t family) {
    records[family]++;
    return Status::OK();
  }
  Status PutCF(uint32_t family, const Slice&, const Slice&) override { return Count(family); }
  Status DeleteCF(uint32_t family, const Slice&) override { return Count(family); }
  Status SingleDeleteCF(uint32_t family, const Slice&) override { return Count(family); }
  Status DeleteRangeCF(uint32_t family, const Slice&, const Slice&) override { return Count(family); }
  Status MergeCF(uint32_t family, const Slice&, const Slice&) override { return Count(family); }
  Status PutBlobIndexCF(uint32_t family, const Slice&, const Slice&) override { return Count(family); }
#if ROCKSDB_MAJOR > 7 || ROCKSDB_MINOR >= 8
  Status PutEntityCF(uint32_t family, const Slice&, const Slice&) override { return Count(family); }
#endif
  Status MarkBeginPrepare(bool) override { return Status::OK(); }
  Status MarkEndPrepare(const Slice& name) override {
    prepared = name.ToString();
    return Status::OK();
  }
  Status MarkNoop(bool) override { return Status::OK(); }
  Status End(const Slice& name) {
    ended = name.ToString();
    return Status::OK();
  }
  Status MarkRollback(const Slice& name) override { return End(name); }
  Status MarkCommit(const Slice& name) override { return End(name); }
  Status MarkCommitWithTimestamp(const Slice& name, const Slice&) override { return End(name); }
};

}  // namespace

WalFilter::WalProcessingOption getio::Prepared::LogRecordFound(unsigned long long, const std::string&,
                                                               const WriteBatch& batch, WriteBatch*, bool*) {
  if (batch.HasEndPrepare() || batch.HasCommit() || batch.HasRollback()) {
    Transactions of;
    // What is wrong with the batch is for the replay to find.
    batch.Iterate(&of).PermitUncheckedError();
    records_.erase(of.ended);
    if (!of.prepared.empty()) records_[of.prepared] = of.records;
  }
  return WalProcessingOption::kContinueProcessing;
}

uint64_t getio::Prepared::Records(uint32_t family) const {
  uint64_t n = 0;
  for (const auto& [name, records] : records_) {
    if (const auto of = records.find(family); of != records.end()) n += of->second;
  }
  return n;
}
