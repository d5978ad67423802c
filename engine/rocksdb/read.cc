//go:build rocksdb

#include "bridge.hpp"
#include "rocksdb/filter_policy.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/table.h"

using namespace rocksdb;

namespace {

// Operands stands in for the merge operator of a program that is not here. Gets read the same blocks as with that
// one, unless it needs only the newest operands (MergeOperator::ShouldMerge). The values are not the program's.
class Operands : public MergeOperator {
 public:
  const char* Name() const override { return "getio.Operands"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    if (in.existing_value != nullptr) out->new_value.assign(in.existing_value->data(), in.existing_value->size());
    for (const Slice& operand : in.operand_list) out->new_value.append(operand.data(), operand.size());
    return true;
  }
};

Options ReadOptionsOf(const bridge_reading& how, bridge_db* db) {
  BlockBasedTableOptions table;
  table.block_cache = db->cache;
  // This policy reads all filters that RocksDB writes.
  if (!how.no_filters) table.filter_policy.reset(NewBloomFilterPolicy(10));

  Options o;
  db->not_applied = getio::Apply(getio::SliceOf(how.options).ToString(), &o, &table);
  o.env = db->env.get();
  o.info_log = std::make_shared<getio::Silent>();
  o.statistics = db->tickers;
  o.max_open_files = how.max_open_files;
  o.num_levels = how.levels;
  o.allow_2pc = true;  // builds with assertions end the process that opens a log with prepared transactions without it
  o.wal_filter = &db->prepared;
  o.merge_operator = std::make_shared<Operands>();
  o.table_factory = getio::Tables(table);
  return o;
}

// OtherFamily returns options for a column family that is open and not read, as the default one has to be. Its
// tables leave nothing in the cache of the others.
ColumnFamilyOptions OtherFamily(const Options& read) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(1 << 20);
  table.cache_index_and_filter_blocks = true;
  ColumnFamilyOptions o;
  o.num_levels = read.num_levels;
  o.merge_operator = read.merge_operator;
  o.table_factory = getio::Tables(table);
  return o;
}

// Dropped deletes a database that failed to open.
char* Dropped(bridge_db* db, const Status& s) {
  delete db;
  return getio::ErrorOf(s);
}

}  // namespace

char* bridge_open_read(bridge_text path, const bridge_reading* how, uintptr_t files, bridge_db** out) {
  auto db = new bridge_db;
  db->files = getio::ReadOnly(files);
  db->env = NewCompositeEnv(db->files);
  db->cache = db->counting = std::make_shared<getio::CountingCache>(getio::NewCache(how->cache), how->tables);
  db->tickers = std::make_shared<getio::Tickers>();

  const Options o = ReadOptionsOf(*how, db);
  const std::string family = getio::SliceOf(how->column_family).ToString();
  const std::string dir(path.data, path.size);
  std::vector<std::string> names{kDefaultColumnFamilyName};
  if (how->all_families) {
    Status s = DB::ListColumnFamilies(o, dir, &names);
    if (!s.ok()) return Dropped(db, s);
  } else if (family != kDefaultColumnFamilyName) {
    names.push_back(family);
  }
  std::vector<ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, name == family ? ColumnFamilyOptions(o) : OtherFamily(o));
  getio::Opened opened;
  Status s = DB::OpenForReadOnly(o, dir, families, &db->handles, &opened);
  if (!s.ok()) return Dropped(db, s);
  db->db = getio::Owned(std::move(opened));
  for (ColumnFamilyHandle* h : db->handles) {
    if (h->GetName() == family) db->family = h;
  }
  if (db->family == nullptr) {
    bridge_close(db);
    return getio::Copy("column family not found: " + family);
  }
  *out = db;
  return nullptr;
}

bridge_value bridge_get(bridge_db* db, const char* key, size_t key_size, char* buffer, size_t buffer_size) {
  // One per thread, because long values make it allocate.
  static thread_local PinnableSlice value;
  const getio::BlobReads::Scope blobs(&db->blob_reads);
  Status s = db->db->Get(ReadOptions(), db->family, Slice(key, key_size), &value);
  bridge_value found{-1, nullptr, nullptr};
  if (s.ok()) {
    found = getio::Found(value, buffer, buffer_size);
  } else if (!s.IsNotFound()) {
    found.error = getio::ErrorOf(s);
  }
  value.Reset();
  return found;
}

bridge_counts bridge_count(bridge_db* db) {
  auto of = [&](uint32_t ticker) { return db->tickers->getTickerCount(ticker); };
  bridge_counts c = {};
  c.hits = of(BLOCK_CACHE_HIT);
  c.misses = of(BLOCK_CACHE_MISS);
  c.filter_hits = of(BLOCK_CACHE_FILTER_HIT);
  c.filter_misses = of(BLOCK_CACHE_FILTER_MISS);
  c.index_hits = of(BLOCK_CACHE_INDEX_HIT);
  c.index_misses = of(BLOCK_CACHE_INDEX_MISS);
  c.data_hits = of(BLOCK_CACHE_DATA_HIT);
  c.data_misses = of(BLOCK_CACHE_DATA_MISS);
  c.dictionary_hits = of(BLOCK_CACHE_COMPRESSION_DICT_HIT);
  c.dictionary_misses = of(BLOCK_CACHE_COMPRESSION_DICT_MISS);
  // Filters of prefixes count what they rule out among what they check.
  c.filter_negatives = of(BLOOM_FILTER_USEFUL) + of(BLOOM_FILTER_PREFIX_USEFUL);
  c.filter_positives = of(BLOOM_FILTER_FULL_POSITIVE) + of(BLOOM_FILTER_PREFIX_CHECKED) - of(BLOOM_FILTER_PREFIX_USEFUL);
  c.opens = of(NO_FILE_OPENS);
  c.reads = of(LAST_LEVEL_READ_COUNT) + of(NON_LAST_LEVEL_READ_COUNT);
  c.read_bytes = of(LAST_LEVEL_READ_BYTES) + of(NON_LAST_LEVEL_READ_BYTES);
  db->blob_reads.AddTo(&c);
  if (db->counting != nullptr) db->counting->AddTo(&c);
  return c;
}
