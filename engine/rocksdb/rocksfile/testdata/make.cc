// Writes the tables beside it, of every format, kind of index, compression and checksum
// that RocksDB writes. The tests read them without RocksDB. Those up to format 5 come from
// RocksDB 7.8.3, the others from 10.4.2:
//
//   c++ -std=c++20 make.cc -lrocksdb -o /tmp/make && /tmp/make . FIRST LAST
//
// where FIRST and LAST are the formats to write.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"

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
    {"format6-snappy", 6, kSnappyCompression, kXXH3, T::kBinarySearch, 1, false, 0, 0},
    {"format6-zstd", 6, kZSTD, kCRC32c, T::kTwoLevelIndexSearch, 8, true, 0, 0},
    {"format6-nochecksum", 6, kLZ4Compression, kNoChecksum, T::kHashSearch, 1, false, 0, 0},
    {"format7-uncompressed", 7, kNoCompression, kxxHash, T::kBinarySearch, 1, false, 0, 0},
    {"format7-lz4", 7, kLZ4Compression, kXXH3, T::kTwoLevelIndexSearch, 1, true, 0, 0},
    {"format7-zlib", 7, kZlibCompression, kxxHash64, T::kBinarySearchWithFirstKey, 4, false, 0, 0},
    {"format7-zstd-trained", 7, kZSTD, kXXH3, T::kTwoLevelIndexSearch, 8, false, 2048, 16384},
};

int main(int, char** argv) {
  for (const Form& f : forms) {
    if (f.format < atoi(argv[2]) || f.format > atoi(argv[3])) continue;
    T table;
#if ROCKSDB_MAJOR >= 10
    table.decouple_partitioned_filters = f.format == 7;
#endif
    table.format_version = f.format;
    table.checksum = f.checksum;
    table.index_type = f.index;
    table.index_block_restart_interval = f.index_restarts;
    table.partition_filters = f.partition_filters;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.block_size = 256;
    table.metadata_block_size = 128;
    Options o;
    o.db_host_id = "getio";
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
