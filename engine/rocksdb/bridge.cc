//go:build rocksdb

#include "bridge.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "rocksdb/slice_transform.h"

using namespace rocksdb;

// Only builds with assertions have the points at which the library's tests pause it.
namespace rocksdb {
class SyncPoint {
 public:
  static SyncPoint* GetInstance() __attribute__((weak));
};
}  // namespace rocksdb

namespace getio {

static int FlagBytes() { return &SyncPoint::GetInstance == nullptr ? 0 : kFlagBytes; }

char* Copy(const std::string& text) {
  char* copy = static_cast<char*>(malloc(text.size() + 1));
  memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

char* ErrorOf(const Status& s) { return s.ok() ? nullptr : Copy(s.ToString()); }

bridge_value Found(const Slice& value, char* buffer, size_t buffer_size) {
  bridge_value found{static_cast<int64_t>(value.size()), nullptr, nullptr};
  char* to = buffer;
  if (value.size() > buffer_size) to = found.spilled = static_cast<char*>(malloc(value.size()));
  memcpy(to, value.data(), value.size());
  return found;
}

}  // namespace getio

using getio::Copy;
using getio::ErrorOf;

const char* bridge_version(void) {
  static const std::string version = GetRocksVersionAsString();
  return version.c_str();
}

// The library's own class tells where its code lies: a function's address may be that of a jump in the program.
int bridge_is_static(void) {
  Dl_info of;
  return dladdr(*reinterpret_cast<void**>(Env::Default()), &of) == 0 || strstr(of.dli_fname, "librocksdb") == nullptr;
}

int bridge_newest_format(void) { return getio::kNewestFormat; }
int bridge_oldest_format(void) { return getio::kOldestFormat; }
int bridge_block_bytes(void) { return getio::kBlockBytes + getio::FlagBytes(); }
int bridge_filter_bytes(void) { return getio::kFilterBytes + getio::FlagBytes(); }

char* bridge_close(bridge_db* db) {
  Status s;
  for (ColumnFamilyHandle* h : db->handles) {
    Status one = db->db->DestroyColumnFamilyHandle(h);
    if (s.ok()) s = one;
  }
  Status closed = db->db->Close();
  if (s.ok()) s = closed;
  delete db;
  return ErrorOf(s);
}

char* bridge_column_families(bridge_text path, char** names, size_t* size) {
  std::vector<std::string> list;
  Status s = DB::ListColumnFamilies(DBOptions(), std::string(path.data, path.size), &list);
  std::string all;
  for (const std::string& name : list) {
    all += name;
    all.push_back(0);
  }
  *size = all.size();
  *names = Copy(all);
  return ErrorOf(s);
}

size_t bridge_tables(bridge_db* db) {
  db->tables.clear();
  db->db->GetLiveFilesMetaData(&db->tables);
  return db->tables.size();
}

bridge_table bridge_table_at(bridge_db* db, size_t i) {
  const LiveFileMetaData& t = db->tables[i];
  return bridge_table{t.file_number,
                      t.size,
                      t.smallest_seqno,
                      t.largest_seqno,
                      t.level,
                      t.column_family_name != db->family->GetName(),
                      getio::TextOf(t.directory),
                      getio::TextOf(t.smallestkey),
                      getio::TextOf(t.largestkey)};
}

size_t bridge_blobs(bridge_db* db) {
  ColumnFamilyMetaData family;
  db->db->GetColumnFamilyMetaData(db->family, &family);
  db->blobs = std::move(family.blob_files);
  return db->blobs.size();
}

bridge_blob bridge_blob_at(bridge_db* db, size_t i) {
  const BlobMetaData& b = db->blobs[i];
  return bridge_blob{b.blob_file_number, b.blob_file_size, getio::TextOf(b.blob_file_path),
                     getio::TextOf(b.blob_file_name)};
}

size_t bridge_families(bridge_db* db) {
  db->families.resize(db->handles.size());
  for (size_t i = 0; i < db->handles.size(); i++) db->db->GetColumnFamilyMetaData(db->handles[i], &db->families[i]);
  return db->families.size();
}

bridge_family bridge_family_at(bridge_db* db, size_t i) {
  const ColumnFamilyMetaData& f = db->families[i];
  return bridge_family{getio::TextOf(f.name), f.file_count, f.size, f.blob_file_count, f.blob_file_size};
}

char* bridge_property(bridge_db* db, const char* name) {
  std::string text;
  db->db->GetProperty(db->family, name, &text);
  return Copy(text);
}

uint64_t bridge_number(bridge_db* db, const char* name) {
  uint64_t n = 0;
  db->db->GetIntProperty(db->family, name, &n);
  return n;
}

uint64_t bridge_memory_keys(bridge_db* db) {
  return bridge_number(db, "rocksdb.num-entries-active-mem-table") +
         bridge_number(db, "rocksdb.num-entries-imm-mem-tables");
}

uint64_t bridge_prepared_records(bridge_db* db) { return db->prepared.Records(db->family->GetID()); }

char* bridge_cache_options(bridge_db* db) { return Copy(db->cache->GetPrintableOptions()); }

char* bridge_not_applied(bridge_db* db) { return Copy(db->not_applied); }

bridge_text bridge_comparator(bridge_db* db) {
  const char* name = db->family->GetComparator()->Name();
  return bridge_text{name, strlen(name)};
}

char* bridge_prefix_extractor(bridge_db* db) {
  const auto extractor = db->db->GetOptions(db->family).prefix_extractor;
  return Copy(extractor == nullptr ? "" : extractor->AsString());
}
