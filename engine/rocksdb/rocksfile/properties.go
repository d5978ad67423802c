package rocksfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"getio/engine/blockformat"
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
	compression                            string
	prefixExtractor                        string
	noWholeKeys, noPrefixes                bool   // not in the filter
	separateValues                         uint64 // of data blocks
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

		"rocksdb.separate.key.value.in.data.block": &p.separateValues,
	}
	for entry, err := range blockformat.All(block) {
		if err != nil {
			return p, err
		}
		if field := numbers[string(entry.Key)]; field != nil {
			var n int
			if *field, n = binary.Uvarint(entry.Value); n <= 0 {
				return p, blockformat.ErrEntries
			}
		}
		switch value := entry.Value; string(entry.Key) {
		case "rocksdb.prefix.extractor.name":
			p.prefixExtractor = string(value)
		case "rocksdb.block.based.table.whole.key.filtering":
			p.noWholeKeys = string(value) == "0"
		case "rocksdb.block.based.table.prefix.filtering":
			p.noPrefixes = string(value) == "0"
		case "rocksdb.compression":
			p.compression = string(value)
		case "rocksdb.block.based.table.index.type":
			if len(value) != 4 {
				return p, blockformat.ErrEntries
			}
			p.indexType = binary.LittleEndian.Uint32(value)
		}
	}
	return p, nil
}

// verify returns an error if the blocks of a table of the given format are not what getio decodes.
func (p *properties) verify(format uint32) error {
	if p.separateValues > 0 {
		return errors.New("its data blocks hold values apart from keys, as RocksDB 11 can write them and getio does not read them")
	}
	if format >= managerFormat {
		return p.requireBuiltin()
	}
	return nil
}

// requireBuiltin returns an error if the table was not compressed by RocksDB itself. From format 7
// on, the property is the name of the library that did and the kinds of compression that occur,
// each followed by a semicolon. The name is empty if nothing was compressed (RocksDB 10.4:
// table/block_based/block_based_table_reader.cc, GetDecompressor).
func (p *properties) requireBuiltin() error {
	name, _, found := strings.Cut(p.compression, ";")
	switch {
	case !found && p.compression != "":
		return errors.New("its properties do not say what compressed it")
	case name != "" && name != "BuiltinV2":
		return fmt.Errorf("%q compressed it, which is not part of RocksDB and which getio does not have", name)
	}
	return nil
}
