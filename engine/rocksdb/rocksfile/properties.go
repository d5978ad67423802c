package rocksfile

import (
	"encoding/binary"

	"getio/tree/blockformat"
)

// Kinds of indexes (RocksDB: include/rocksdb/table.h, IndexType).
const (
	indexBinary = iota
	indexHash
	indexTwoLevel
	indexFirstKey
)

// properties holds the table properties that the library recorded (RocksDB:
// table/table_properties.cc). Missing ones are zero.
type properties struct {
	entries, deletes, rangeDeletes, merges uint64
	rawKey, rawValue                       uint64
	dataSize, dataBlocks                   uint64
	indexSize, indexPartitions, topIndex   uint64 // uncompressed; the first includes the last, and a trailer
	filterSize                             uint64
	userKeys, delta                        uint64
	indexType                              uint32
}

// decodeProperties decodes a block of properties.
func decodeProperties(block []byte) (p properties, err error) {
	numbers := map[string]*uint64{
		"rocksdb.num.entries":                  &p.entries,
		"rocksdb.deleted.keys":                 &p.deletes,
		"rocksdb.num.range-deletions":          &p.rangeDeletes,
		"rocksdb.merge.operands":               &p.merges,
		"rocksdb.raw.key.size":                 &p.rawKey,
		"rocksdb.raw.value.size":               &p.rawValue,
		"rocksdb.data.size":                    &p.dataSize,
		"rocksdb.num.data.blocks":              &p.dataBlocks,
		"rocksdb.index.size":                   &p.indexSize,
		"rocksdb.index.partitions":             &p.indexPartitions,
		"rocksdb.top-level.index.size":         &p.topIndex,
		"rocksdb.filter.size":                  &p.filterSize,
		"rocksdb.index.key.is.user.key":        &p.userKeys,
		"rocksdb.index.value.is.delta.encoded": &p.delta,
	}
	whole := true
	err = blockformat.EachEntry(block, func(key, value []byte) bool {
		if field := numbers[string(key)]; field != nil {
			var n int
			if *field, n = binary.Uvarint(value); n <= 0 {
				whole = false
			}
		}
		if string(key) == "rocksdb.block.based.table.index.type" {
			if whole = whole && len(value) == 4; whole {
				p.indexType = binary.LittleEndian.Uint32(value)
			}
		}
		return whole
	})
	if err == nil && !whole {
		err = blockformat.ErrEntries
	}
	return p, err
}
