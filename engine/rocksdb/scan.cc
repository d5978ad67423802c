//go:build rocksdb

#include <cstring>

#include "bridge.hpp"

using namespace rocksdb;

struct bridge_scan {
  getio::BlobReads* blobs;
  std::string last;
  Slice upper;
  std::unique_ptr<Iterator> it;
  // Whether the iterator's record was returned. The iterator only advances for the next
  // one, because that may read a block.
  bool taken = false;
};

bridge_scan* bridge_scan_new(bridge_db* db, const char* last, size_t last_size, int bounded, int memory_only) {
  auto scan = new bridge_scan;
  scan->blobs = &db->blob_reads;
  ReadOptions o;
  o.total_order_seek = true;  // across prefixes, with a prefix extractor too
  if (bounded) {
    scan->last.assign(last_size > 0 ? last : "", last_size);
    scan->upper = scan->last;
    o.iterate_upper_bound = &scan->upper;
  }
  if (memory_only) o.read_tier = kMemtableTier;
  scan->it.reset(db->db->NewIterator(o, db->family));
  return scan;
}

void bridge_scan_seek(bridge_scan* scan, const char* first, size_t first_size) {
  const getio::BlobReads::Scope blobs(scan->blobs);
  scan->it->Seek(Slice(first_size > 0 ? first : "", first_size));
  scan->taken = false;
}

char* bridge_scan_next(bridge_scan* scan, size_t most, char* buffer, size_t size, size_t* filled, size_t* needed) {
  const getio::BlobReads::Scope blobs(scan->blobs);
  *filled = *needed = 0;
  for (; most > 0; most--) {
    if (scan->taken) scan->it->Next();
    scan->taken = false;
    if (!scan->it->Valid()) return getio::ErrorOf(scan->it->status());
    const Slice key = scan->it->key(), value = scan->it->value();
    const uint32_t sizes[2] = {static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size())};
    const size_t record = sizeof sizes + key.size() + value.size();
    if (record > size - *filled) {
      if (*filled == 0) *needed = record;
      return nullptr;
    }
    char* to = buffer + *filled;
    memcpy(to, sizes, sizeof sizes);
    memcpy(to + sizeof sizes, key.data(), key.size());
    memcpy(to + sizeof sizes + key.size(), value.data(), value.size());
    *filled += record;
    scan->taken = true;
  }
  return nullptr;
}

bridge_value bridge_scan_find(bridge_scan* scan, const char* key, size_t key_size, char* buffer, size_t buffer_size) {
  bridge_scan_seek(scan, key, key_size);
  if (!scan->it->Valid()) return bridge_value{-1, nullptr, getio::ErrorOf(scan->it->status())};
  if (scan->it->key() != Slice(key, key_size)) return bridge_value{-1, nullptr, nullptr};
  return getio::Found(scan->it->value(), buffer, buffer_size);
}

void bridge_scan_free(bridge_scan* scan) { delete scan; }
