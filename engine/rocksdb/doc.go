// Package rocksdb measures RocksDB, unmodified and of a version from 7 to 11, through a C++
// bridge of its own (bridge.h; library.hpp has what differs between versions). The build tag
// rocksdb includes it; without the tag, the engine only recognises databases and says how to
// get it.
//
// Reads are counted in a rocksdb::FileSystem that passes each read of a table to Go, on the
// thread of the Get that makes it, where it is counted, traced and sent to the device as in
// all engines. RocksDB reads block by block, so that a read is a block. The file system
// ignores prefetches, so that RocksDB opens a table with one read per block too.
//
// Accesses are RocksDB's own tickers. They count top indexes together with the partitions below them. A
// wrapper of the block cache tells the two apart: an entry that is inserted right after the file system
// read a top index is that top index. The top-level index of a partitioned filter counts as a filter,
// as in RocksDB.
//
// With cache_index_and_filter_blocks off, RocksDB's default, indexes and filters are read when their
// table is opened and kept outside the block cache. Gets do not look them up in the cache, and their
// reads count as table_open. If indexes and filters are partitioned, only their top levels are read and
// kept in this way. Pinned blocks are looked up once, when their table is opened.
//
// Blob files are read through the same file system. RocksDB opens one on first use, keeps it in its table
// cache, and reads one record per value. The block cache is not involved.
//
// Two Gets that miss a block at the same time both read it: misses are reads.
package rocksdb

const name = "rocksdb"
