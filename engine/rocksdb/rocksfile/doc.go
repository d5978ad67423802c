// Package rocksfile decodes RocksDB's block-based table files, formats 0 to 5: their
// tails and region maps. It also samples their keys.
//
// Measured lookups do not use it: the engine measures its own library.
//
// A table has data blocks, then the blocks that its metaindex names (filter,
// compression dictionary, deleted ranges, properties), the index, the metaindex and
// the footer, which names the last two. A filter or an index may be divided into
// partitions. Then the named block indexes them and follows them.
// (RocksDB: table/block_based/block_based_table_builder.cc, Finish; table/format.cc)
package rocksfile
