// Package rocksfile decodes RocksDB's block-based table files, formats 0 to 7: their tails, with the
// checksum of a footer, and their region maps. It also samples their keys, and maps blob files.
//
// Measured lookups do not use it: the engine measures its own library.
//
// A table has data blocks, then the blocks that its metaindex names (filter, compression dictionary,
// deleted ranges, properties), the index, the metaindex and the footer. The footer names the metaindex
// and the index. From format 6 on, the footer contains a checksum of itself, and the metaindex names
// the index instead. A filter or an index may be divided into partitions. Then the named block is an
// index of the partitions, and lies behind them.
//
// (RocksDB: table/block_based/block_based_table_builder.cc, Finish; table/format.cc)
package rocksfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"getio/engine/catalog"

	"getio/engine/blockformat"

	"getio/engine/lsm"
	"getio/engine/region"
)

// Names of blocks in the metaindex. One filter policy reads all filters that the library
// writes. It no longer consults block-based filters of older versions (RocksDB:
// table/block_based/block_based_table_reader.cc, kObsoleteFilterBlockPrefix).
const (
	filterPolicy      = "rocksdb.BuiltinBloomFilter"
	metaFullFilter    = "fullfilter." + filterPolicy
	metaPartitioned   = "partitionedfilter." + filterPolicy
	metaOldFilter     = "filter."
	metaDictionary    = "rocksdb.compression_dict"
	metaRangeDeletion = "rocksdb.range_del"
	metaProperties    = "rocksdb.properties"
	metaOldProperties = "rocksdb.stats"
	metaIndex         = "rocksdb.index" // from format 6 on
)

// table holds the contents of the tail of a table file.
type table struct {
	catalog.BlockTail
	footer     footer
	props      properties
	dictionary region.Extent   // of the compression; empty if there is none
	ranges     region.Extent   // of deleted ranges; empty if there is none
	beside     []region.Extent // blocks that Gets do not read
	indexes    []region.Extent // index blocks that name data blocks
	filters    int64           // filter partitions

	unfiltered   bool // Gets do not consult its filter
	prefixFilter bool // or they ask it for prefixes
}

// readTable reads a table's footer, metaindex, properties, the index block that one of the
// first two names, and the block that indexes filter partitions.
func readTable(ref catalog.Ref) (*table, error) {
	t := &table{BlockTail: catalog.BlockTail{Tail: catalog.Tail{Ref: ref}}}
	return t, t.ReadTail(t.read)
}

// read fills in what the table's tail says.
func (t *table) read(r io.ReaderAt) error {
	footer, err := readFooter(r, t.Ref.Size)
	if err != nil {
		return err
	}
	t.footer = footer
	t.Regions.Intact = t.footer.verify
	for _, step := range []func(io.ReaderAt) error{t.readMetaIndex, t.readProperties, t.readIndexes, t.readFilterIndex} {
		if err := step(r); err != nil {
			return err
		}
	}
	return t.Verify()
}

// readMetaIndex places what footer and metaindex name.
func (t *table) readMetaIndex(r io.ReaderAt) error {
	if err := catalog.Place(&t.Regions.MetaIndex, t.footer.meta, t.end()); err != nil {
		return err
	}
	if t.footer.format < contextFormat {
		if err := catalog.Place(&t.Regions.TopIndex, t.footer.index, t.end()); err != nil {
			return err
		}
	}
	metaindex, err := t.readBlock(r, t.Regions.MetaIndex, none)
	if err != nil {
		return err
	}
	if err := catalog.EachNamed(metaindex, t.end(), t.place); err != nil {
		return err
	}
	if t.Regions.TopIndex == (region.Extent{}) {
		return errors.New("its metaindex names no index")
	}
	return nil
}

// end is where the table's footer begins.
func (t *table) end() int64 { return t.Ref.Size - t.footer.len }

// place adds a block that the metaindex names to the region map. Blocks with other names
// are read when the table is opened, or never.
func (t *table) place(name string, e region.Extent) {
	m := &t.Regions
	switch {
	case name == metaFullFilter:
		m.Filter = e
	case name == metaPartitioned:
		m.Filter, m.FilterPartitions = e, region.Extent{End: e.Off}
	case strings.HasPrefix(name, metaOldFilter):
		t.beside = append(t.beside, e)
	case name == metaDictionary:
		t.dictionary = e
		m.Others = append(m.Others, e)
	case name == metaIndex:
		m.TopIndex = e
	case name == metaRangeDeletion:
		t.ranges = e
		m.Others = append(m.Others, e)
	case name == metaProperties, name == metaOldProperties:
		m.Properties = e
	default:
		t.beside = append(t.beside, e)
	}
}

func (t *table) readProperties(r io.ReaderAt) error {
	if t.Regions.Properties == (region.Extent{}) {
		return errors.New("it has no properties")
	}
	block, err := t.readBlock(r, t.Regions.Properties, none)
	if err != nil {
		return err
	}
	if t.props, err = decodeProperties(block); err != nil {
		return fmt.Errorf("its properties block %w", err)
	}
	if err := t.props.verify(t.footer.format); err != nil {
		return err
	}
	if t.props.dataSize > uint64(t.end()) {
		return errors.New("its properties state more data than the file holds")
	}
	t.Regions.Data.End = int64(t.props.dataSize)
	if f := &t.Regions.FilterPartitions; f.End > 0 {
		f.Off = t.Regions.Data.End
	}
	return nil
}

// form returns the encoding of the table's index blocks.
func (t *table) form() indexForm {
	return indexForm{userKeys: t.props.userKeys > 0, delta: t.props.delta > 0, firstKey: t.props.indexType == indexFirstKey}
}

// twoLevel reports whether the index is partitioned.
func (t *table) twoLevel() bool { return t.props.indexType == indexTwoLevel }

// readIndexes places the index blocks that name data blocks.
func (t *table) readIndexes(r io.ReaderAt) error {
	if t.props.indexType > indexFirstKey {
		return fmt.Errorf("its index has type %d, which getio does not know", t.props.indexType)
	}
	top := t.Regions.TopIndex
	if t.props.indexType == indexHash {
		// The property counts the prefixes as well, which RocksDB stores and caches apart from the index
		// (table/block_based/index_builder.h, HashIndexBuilder::IndexSize).
		index, err := t.readBlock(r, top, none)
		if err != nil {
			return err
		}
		t.props.indexSize = uint64(len(index)) + blockformat.TrailerLen
	}
	if !t.twoLevel() {
		t.indexes = []region.Extent{top}
		return nil
	}
	list, err := t.readIndex(r, top)
	if err != nil {
		return err
	}
	for i, p := range list {
		if i > 0 && p.Extent.Off != list[i-1].Extent.End {
			return fmt.Errorf("its index blocks leave a gap at byte %d", list[i-1].Extent.End)
		}
		t.indexes = append(t.indexes, p.Extent)
	}
	if n := len(list); n > 0 {
		t.Regions.Index = region.Extent{Off: list[0].Extent.Off, End: list[n-1].Extent.End}
	}
	return nil
}

// readFilterIndex counts the filter partitions. They need not be as many as those of the index
// (RocksDB 9.7: include/rocksdb/table.h, decouple_partitioned_filters).
func (t *table) readFilterIndex(r io.ReaderAt) error {
	if t.Regions.FilterPartitions == (region.Extent{}) {
		return nil
	}
	form := t.form()
	form.firstKey = false
	list, err := t.readIndexAs(r, t.Regions.Filter, form)
	if err != nil {
		return err
	}
	t.filters = int64(len(list))
	return nil
}

// readIndex lists what the index block in e names.
func (t *table) readIndex(r io.ReaderAt, e region.Extent) ([]catalog.NamedBlock, error) {
	return t.readIndexAs(r, e, t.form())
}

func (t *table) readIndexAs(r io.ReaderAt, e region.Extent, form indexForm) ([]catalog.NamedBlock, error) {
	block, err := t.readBlock(r, e, none)
	if err != nil {
		return nil, err
	}
	list, err := form.decode(block, t.end())
	if err != nil {
		return nil, fmt.Errorf("its index block at byte %d %w", e.Off, err)
	}
	return list, nil
}

// Verify checks that no two extents of the region map overlap, that data comes first, and
// that filter partitions fill the space between data and the block that indexes them.
func (t *table) Verify() error {
	m := &t.Regions
	all := []region.Extent{m.Data, m.Filter, m.FilterPartitions, m.Index, m.TopIndex, m.Properties, m.MetaIndex}
	all = append(append(all, m.Others...), t.beside...)
	all = slices.DeleteFunc(all, func(e region.Extent) bool { return e.Off == e.End })
	slices.SortFunc(all, func(a, b region.Extent) int { return int(a.Off - b.Off) })
	at := int64(0)
	for _, e := range all {
		if e.Off < at || e.End < e.Off {
			return fmt.Errorf("its blocks overlap at byte %d", e.Off)
		}
		at = e.End
	}
	if at > t.end() {
		return errors.New("its blocks reach into its footer")
	}
	return nil
}

func (t *table) Shape() lsm.Table {
	p := &t.props
	s := lsm.Table{
		File: t.Ref.File, Smallest: t.Ref.Smallest, Largest: t.Ref.Largest, Bytes: t.Ref.Size,
		Records: int64(p.entries - p.rangeDeletes), RawBytes: int64(p.rawKey + p.rawValue),
		DataBytes: t.Regions.Data.End, DataBlocks: int64(p.dataBlocks),
		TopIndexBytes: int64(p.topIndex), TopIndexOffset: t.Regions.TopIndex.Off,
	}
	if t.ranges != (region.Extent{}) { // the library never compresses it
		s.PinnedBytes = t.ranges.End - t.ranges.Off - blockformat.TrailerLen
	}
	if index := int64(p.indexSize) - blockformat.TrailerLen; t.twoLevel() {
		s.IndexBytes, s.IndexBlocks = index-s.TopIndexBytes, int64(len(t.indexes))
	} else {
		s.TopIndexBytes = index
	}
	if f := t.Regions.Filter; f != (region.Extent{}) && !t.unfiltered {
		s.FilterBytes, s.FilterOffset = int64(p.filterSize), f.Off
		if t.Regions.FilterPartitions != (region.Extent{}) {
			// The library never compresses filters.
			s.FilterBlocks, s.TopFilterBytes = t.filters, f.End-f.Off-blockformat.TrailerLen
		}
	}
	return s
}
