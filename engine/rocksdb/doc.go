// Package rocksdb measures RocksDB, as Debian builds it, through a bridge of its own in
// C++ (bridge.h). It is compiled in with the build tag rocksdb; without it, the engine is
// known and says how to get it.
//
// Reads are counted in a rocksdb::FileSystem that hands each read of a table to Go, on
// the thread of the Get that makes it: regions, ways to the device and traces are those
// of all engines. RocksDB reads each block by itself, so that a read is a block; what it
// would have had prefetched when it opens a table, it reads just as one by one.
//
// Accesses are RocksDB's own tickers. It counts top indexes together with their
// partitions. The block cache is wrapped to tell them apart: an entry that was put in
// right after a top index was read is one. A top-level index of a divided filter counts
// as filter, as RocksDB has it.
//
// With cache_index_and_filter_blocks off, as RocksDB has it by default, indexes and
// filters are read when their table is opened and held beside the cache: Gets ask no cache
// for them, and they are counted as table_open. Of divided ones that goes for the top
// level only. Blocks that are pinned are asked for once, when their table is opened.
//
// Two Gets that miss a block at the same time both read it: misses are reads.
package rocksdb

const name = "rocksdb"
