package rowtable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"getio/engine/blockformat"
)

// Template holds the parts of a table that do not depend on its records: the library's
// constant properties, the filter's name, and the footer's checksum type and magic.
type Template struct {
	properties map[string][]byte
	filterName string // in the metaindex
	checksum   byte
	magic      []byte // the footer's end: version and magic
}

const (
	footerLen      = blockformat.RocksDBFooterLen
	footerMagicLen = blockformat.VersionLen + blockformat.MagicLen
	metaProperties = "rocksdb.properties"
	filterPrefix   = "fullfilter."
)

// ReadTemplate extracts the Template from a table that the library wrote with the same options.
func ReadTemplate(table []byte) (*Template, error) {
	if len(table) < footerLen {
		return nil, fmt.Errorf("a table of %d bytes has no footer", len(table))
	}
	footer := table[len(table)-footerLen:]
	f := &Template{checksum: footer[0], magic: slices.Clone(footer[footerLen-footerMagicLen:])}
	metaindex, err := readRaw(table, readHandle(footer[1:]))
	if err != nil {
		return nil, fmt.Errorf("its metaindex: %w", err)
	}
	for name, value := range metaindex {
		switch {
		case name == metaProperties:
			if f.properties, err = readRaw(table, readHandle(value)); err != nil {
				return nil, fmt.Errorf("its properties: %w", err)
			}
		case strings.HasPrefix(name, filterPrefix) && name != filterPrefix:
			f.filterName = name
		default:
			return nil, fmt.Errorf("it has a block %q, which a table with only records does not have", name)
		}
	}
	if f.properties == nil {
		return nil, errors.New("it has no properties")
	}
	return f, nil
}

func readHandle(b []byte) blockformat.Handle {
	h, n := blockformat.DecodeHandle(b)
	if n == 0 {
		return blockformat.Handle{Off: math.MaxUint64}
	}
	return h
}

// readRaw decodes an uncompressed block of entries whose keys are names.
func readRaw(table []byte, h blockformat.Handle) (map[string][]byte, error) {
	if h.Off > uint64(len(table)) || h.Length > uint64(len(table))-h.Off {
		return nil, errors.New("its handle points outside the table")
	}
	entries := map[string][]byte{}
	for entry, err := range blockformat.All(table[h.Off : h.Off+h.Length]) {
		if err != nil {
			return nil, err
		}
		entries[string(entry.Key)] = slices.Clone(entry.Value)
	}
	return entries, nil
}

// appendRaw appends a block of entries in the order of their names, with a restart point
// every interval entries.
func appendRaw(dst []byte, entries map[string][]byte, interval int) []byte {
	from := len(dst)
	var restarts []uint32
	before := ""
	for i, name := range slices.Sorted(maps.Keys(entries)) {
		shared := 0
		if i%interval == 0 {
			restarts = append(restarts, uint32(len(dst)-from))
		} else {
			for shared < min(len(before), len(name)) && before[shared] == name[shared] {
				shared++
			}
		}
		dst = binary.AppendUvarint(dst, uint64(shared))
		dst = binary.AppendUvarint(dst, uint64(len(name)-shared))
		dst = binary.AppendUvarint(dst, uint64(len(entries[name])))
		dst = append(dst, name[shared:]...)
		dst = append(dst, entries[name]...)
		before = name
	}
	return blockformat.AppendRestarts(dst, restarts)
}

// figures holds the properties that depend on a table's records.
type figures struct {
	dataBlocks, dataSize, entries, filterSize uint64
	partitions, indexSize, topIndexSize       uint64 // partitions 0: single-level index
	rawKeys, rawValues                        uint64
}

// with returns the properties of a table: the Template's and x (Pebble: sstable/properties.go).
func (f *Template) with(x figures) map[string][]byte {
	const partitions, topIndexSize = "rocksdb.index.partitions", "rocksdb.top-level.index.size"
	const oneLevel, twoLevels = 0, 2 // types of indexes
	p := maps.Clone(f.properties)
	number := func(name string, n uint64) { p[name] = binary.AppendUvarint(nil, n) }
	number("rocksdb.num.data.blocks", x.dataBlocks)
	number("rocksdb.data.size", x.dataSize)
	number("rocksdb.num.entries", x.entries)
	number("rocksdb.filter.size", x.filterSize)
	number("rocksdb.index.size", x.indexSize)
	number("rocksdb.raw.key.size", x.rawKeys)
	number("rocksdb.raw.value.size", x.rawValues)
	kind := uint32(oneLevel)
	delete(p, partitions)
	delete(p, topIndexSize)
	if x.partitions > 0 {
		kind = twoLevels
		number(partitions, x.partitions)
		number(topIndexSize, x.topIndexSize)
	}
	p["rocksdb.block.based.table.index.type"] = binary.LittleEndian.AppendUint32(nil, kind)
	return p
}

// appendFooter appends the table's footer.
func (f *Template) appendFooter(dst []byte, metaindex, index blockformat.Handle) []byte {
	from := len(dst)
	dst = index.Append(metaindex.Append(append(dst, f.checksum)))
	dst = append(dst, make([]byte, footerLen-footerMagicLen-(len(dst)-from))...)
	return append(dst, f.magic...)
}
