//go:build rocksdb

#include "_cgo_export.h"
#include "bridge.hpp"
#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

using namespace rocksdb;

namespace {

// Watcher counts flushes and compactions, and passes errors that RocksDB cannot recover from
// to Go.
class Watcher : public EventListener {
 public:
  Watcher(uintptr_t failures, getio::Background* background) : failures_(failures), background_(background) {}

  void OnFlushCompleted(DB*, const FlushJobInfo&) override { background_->flushes++; }
  void OnCompactionCompleted(DB*, const CompactionJobInfo& job) override {
    background_->compactions++;
    background_->compacted += job.stats.total_input_bytes;
  }
  void OnTableFileCreated(const TableFileCreationInfo& table) override { background_->tables_made += table.file_size; }
  void OnBackgroundError(BackgroundErrorReason, Status* s) override {
    background_->Fail(*s);
    const std::string text = s->ToString();
    getioFailed(failures_, const_cast<char*>(text.data()), text.size());
  }

 private:
  const uintptr_t failures_;
  getio::Background* const background_;
};

BlockBasedTableOptions TableOptions(const bridge_writing& how, std::shared_ptr<Cache> cache) {
  BlockBasedTableOptions t;
  t.block_cache = std::move(cache);
  t.block_size = how.block_size;
  t.metadata_block_size = how.metadata_block_size;
  t.block_restart_interval = how.restart_interval;
  t.index_block_restart_interval = how.index_restart_interval;
  t.format_version = how.format_version;
  if (how.bloom_bits > 0) t.filter_policy.reset(NewBloomFilterPolicy(how.bloom_bits));
  if (how.two_level_index) t.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  t.partition_filters = how.partition_filters;
  return t;
}

Options WriteOptionsOf(const bridge_writing& how) {
  Options o;
  o.create_if_missing = how.create;
  o.error_if_exists = how.create;
  o.compression = static_cast<CompressionType>(how.compression);
  o.write_buffer_size = how.write_buffer_size;
  o.max_write_buffer_number = how.max_write_buffers;
  o.target_file_size_base = how.target_file_size;
  o.target_file_size_multiplier = how.target_file_size_multiplier;
  o.max_bytes_for_level_base = how.l1_max_bytes;
  o.max_bytes_for_level_multiplier = how.level_multiplier;
  o.level_compaction_dynamic_level_bytes = how.dynamic_level_bytes;
  o.level0_file_num_compaction_trigger = how.l0_compaction_trigger;
  o.level0_slowdown_writes_trigger = how.l0_slowdown_trigger;
  o.level0_stop_writes_trigger = how.l0_stop_trigger;
  o.max_open_files = how.max_open_files;
  o.max_background_jobs = how.background_jobs;
  // An error of the device ends the load without retries.
  o.max_bgerror_resume_count = 0;
  // Without its OPTIONS file, a database cannot be told from one of another engine.
  getio::RequireOptionsFile(&o);
  // Without space for the library's LOG, builds with assertions end the process.
  o.info_log = std::make_shared<getio::Silent>();
  return o;
}

// Open opens the database with tables of the given factory and takes ownership of db.
template <typename Factory>
char* Open(Factory tables, bridge_text path, const bridge_writing& how, Options o, uintptr_t failures, bridge_db* db, bridge_db** out) {
  BlockBasedTableOptions table = TableOptions(how, db->cache);
  const std::string refused = getio::Apply(getio::SliceOf(how.options).ToString(), &o, &table);
  if (!refused.empty()) {
    delete db;
    return getio::Copy("options with values that it does not know: " + refused);
  }
  o.table_factory = tables(table);
  o.listeners.push_back(std::make_shared<Watcher>(failures, &db->background));
  getio::Opened opened;
  Status s = DB::Open(o, std::string(path.data, path.size), &opened);
  if (!s.ok()) {
    delete db;
    return getio::ErrorOf(s);
  }
  db->db = getio::Owned(std::move(opened));
  db->family = db->db->DefaultColumnFamily();
  *out = db;
  return nullptr;
}

}  // namespace

char* bridge_open_write(bridge_text path, const bridge_writing* how, uintptr_t failures, bridge_db** out) {
  auto db = new bridge_db;
  db->cache = getio::NewCache(how->cache);
  const auto own = [](const BlockBasedTableOptions& table) {
    return std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(table));
  };
  return Open(own, path, *how, WriteOptionsOf(*how), failures, db, out);
}

char* bridge_open_update(bridge_text path, const bridge_writing* how, uintptr_t failures, uintptr_t files,
                         bridge_db** out) {
  auto db = new bridge_db;
  db->files = getio::ReadAndWritten(files, &db->written);
  db->env = NewCompositeEnv(db->files);
  db->cache = getio::NewCache(how->cache);
  db->tickers = std::make_shared<getio::Tickers>();
  Options o = WriteOptionsOf(*how);
  o.env = db->env.get();
  o.statistics = db->tickers;
  return Open(getio::Tables, path, *how, std::move(o), failures, db, out);
}

char* bridge_write(bridge_db* db, const char* batch, size_t size) {
  WriteBatch writes(std::string(batch, size));
  return getio::ErrorOf(db->db->Write(WriteOptions(), &writes));
}

char* bridge_sync(bridge_db* db) {
  // FlushWAL does not check whether a write failed, and builds with assertions, such as
  // Debian's, end the process when they continue a log after a failure.
  const Status failure = db->background.Failure();
  if (!failure.ok()) return getio::ErrorOf(failure);
  return getio::ErrorOf(db->db->FlushWAL(true));
}

char* bridge_flush(bridge_db* db) { return getio::ErrorOf(db->db->Flush(FlushOptions())); }

bridge_settling bridge_settle(bridge_db* db) {
  bridge_settling s = {};
  s.running = bridge_number(db, "rocksdb.num-running-compactions") + bridge_number(db, "rocksdb.compaction-pending") +
              bridge_number(db, "rocksdb.num-running-flushes") + bridge_number(db, "rocksdb.mem-table-flush-pending");
  s.debt = bridge_number(db, "rocksdb.estimate-pending-compaction-bytes");
  s.flushes = db->background.flushes;
  s.compactions = db->background.compactions;
  return s;
}

bridge_activity bridge_active(bridge_db* db) {
  bridge_activity a = {};
  a.flushes = db->background.flushes;
  a.compactions = db->background.compactions;
  a.running = bridge_number(db, "rocksdb.num-running-compactions") + bridge_number(db, "rocksdb.num-running-flushes");
  a.stalls = db->tickers->Stalls();
  a.stalled_micros = db->tickers->getTickerCount(STALL_MICROS);
  a.tables_made = db->background.tables_made;
  a.compacted = db->background.compacted;
  a.tables_written = db->written.tables;
  a.logs_written = db->written.logs;
  a.other_written = db->written.other;
  return a;
}
