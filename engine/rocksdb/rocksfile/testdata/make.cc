// Writes the tables beside it, of every format, kind of index, compression and checksum
// that RocksDB 7 writes. The tests read them without RocksDB.
//
//   c++ -std=c++17 make.cc -lrocksdb -o /tmp/make && /tmp/make .
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"

using namespace rocksdb;
using T = BlockBasedTableOptions;

static void Must(const Status& s) {
  if (s.ok()) return;
  fprintf(stderr, "%s\n", s.ToString().c_str());
  exit(1);
}

struct Form {
  const char* name;
  int format;
  CompressionType compression;
  ChecksumType checksum;
  T::IndexType index;
  int index_restarts;
  bool partition_filters;
  int dictionary, train;
};

static const Form forms[] = {
    {"format0", 0, kSnappyCompression, kCRC32c, T::kBinarySearch, 1, false, 0, 0},
    {"format1", 1, kNoCompression, kNoChecksum, T::kBinarySearch, 1, false, 0, 0},
    {"format2-lz4", 2, kLZ4Compression, kxxHash, T::kTwoLevelIndexSearch, 1, true, 0, 0},
    {"format3-zlib", 3, kZlibCompression, kxxHash64, T::kTwoLevelIndexSearch, 4, false, 0, 0},
    {"format4-bzip2", 4, kBZip2Compression, kXXH3, T::kBinarySearch, 4, false, 0, 0},
    {"format5-zstd", 5, kZSTD, kXXH3, T::kTwoLevelIndexSearch, 8, true, 0, 0},
    {"format5-firstkey", 5, kLZ4HCCompression, kXXH3, T::kBinarySearchWithFirstKey, 4, false, 0, 0},
    {"format5-hash", 5, kSnappyCompression, kXXH3, T::kHashSearch, 1, false, 0, 0},
    {"format5-lz4-dictionary", 5, kLZ4Compression, kXXH3, T::kBinarySearch, 1, false, 2048, 0},
    {"format5-zlib-dictionary", 5, kZlibCompression, kXXH3, T::kBinarySearch, 1, false, 2048, 0},
    {"format5-zstd-dictionary", 5, kZSTD, kXXH3, T::kBinarySearch, 1, false, 2048, 0},
    {"format5-zstd-trained", 5, kZSTD, kXXH3, T::kBinarySearch, 1, false, 2048, 16384},
};

int main(int, char** argv) {
  for (const Form& f : forms) {
    T table;
    table.format_version = f.format;
    table.checksum = f.checksum;
    table.index_type = f.index;
    table.index_block_restart_interval = f.index_restarts;
    table.partition_filters = f.partition_filters;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.block_size = 256;
    table.metadata_block_size = 128;
    Options o;
    o.compression = f.compression;
    o.compression_opts.max_dict_bytes = f.dictionary;
    o.compression_opts.zstd_max_train_bytes = f.train;
    if (f.index == T::kHashSearch) o.prefix_extractor.reset(NewFixedPrefixTransform(8));
    o.table_factory.reset(NewBlockBasedTableFactory(table));
    SstFileWriter w(EnvOptions(), o);
    Must(w.Open(std::string(argv[1]) + "/" + f.name + ".sst"));
    for (int i = 0; i < 300; i++) {
      char key[30];
      snprintf(key, sizeof key, "key %06d", i * 7);
      Must(w.Put(key, "a value that repeats itself, of number " + std::to_string(i)));
    }
    Must(w.Delete("key 999999"));
    Must(w.Finish());
  }
}
