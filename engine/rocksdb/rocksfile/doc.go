// Package rocksfile knows RocksDB's block-based table files: what their tails say,
// the region map of each, how their keys are sampled and where they divide the key
// space.
//
// It decodes them itself, in all formats from 0 to 5. Lookups are never made through
// it: the engine measures its own library.
//
// A table has data blocks, then the blocks that its metaindex names (filter,
// compression dictionary, deleted ranges, properties), the index, the metaindex and
// the footer, which names the last two. A filter or an index may be divided into
// partitions; then the block that is named tells them apart, and stands behind them.
// (RocksDB: table/block_based/block_based_table_builder.cc, Finish; table/format.cc)
package rocksfile
