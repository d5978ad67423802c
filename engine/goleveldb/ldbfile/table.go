package ldbfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"getio/engine/catalog"

	"getio/tree/blockformat"

	"getio/engine/region"
	"getio/tree/lsm"
)

// filterKey is the metaindex's entry for the only filter that goleveldb has a
// policy for (leveldb/filter/bloom.go). LevelDB's original names its own filter
// differently: goleveldb's Get does not consult it.
const filterKey = "filter.leveldb.BuiltinBloomFilter"

// table holds the contents of the tail of a table file.
type table struct {
	catalog.Tail
	dataBlocks int64
	indexBytes int64 // uncompressed
}

// readTable reads a table's footer, metaindex and index. The index has one level: it names
// every data block.
func readTable(ref catalog.Ref) (*table, error) {
	f, err := catalog.OpenFile(ref)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &table{Tail: catalog.Tail{Ref: ref}}
	if err := t.read(f); err != nil {
		return nil, fmt.Errorf("table %s: %w", ref.Path, err)
	}
	return t, nil
}

// read fills in what the table's tail says.
func (t *table) read(r io.ReaderAt) error {
	if err := t.readFooter(r); err != nil {
		return err
	}
	if err := t.readMetaIndex(r); err != nil {
		return err
	}
	blocks, size, err := t.readIndex(r)
	if err != nil {
		return err
	}
	t.dataBlocks, t.indexBytes = int64(len(blocks)), size
	at := int64(0)
	for _, b := range blocks {
		if b.extent.Off != at {
			return fmt.Errorf("its data blocks leave a gap at byte %d (next block at %d)", at, b.extent.Off)
		}
		at = b.extent.End
	}
	t.Regions.Data = region.Extent{Off: 0, End: at}
	return t.Verify()
}

// readFooter places metaindex and index.
func (t *table) readFooter(r io.ReaderAt) error {
	size := t.Ref.Size
	if size < blockformat.LevelDBFooterLen {
		return fmt.Errorf("it is too short for a footer (%d bytes)", size)
	}
	var footer [blockformat.LevelDBFooterLen]byte
	if _, err := r.ReadAt(footer[:], size-blockformat.LevelDBFooterLen); err != nil {
		return fmt.Errorf("its footer cannot be read: %w", err)
	}
	if binary.LittleEndian.Uint64(footer[blockformat.LevelDBFooterLen-blockformat.MagicLen:]) != blockformat.LevelDBMagic {
		return fmt.Errorf("its last bytes are not those of a LevelDB table")
	}
	meta, n := blockformat.DecodeHandle(footer[:])
	index, m := blockformat.DecodeHandle(footer[n:])
	if n == 0 || m == 0 {
		return fmt.Errorf("its footer does not decode")
	}
	var metaFits, indexFits bool
	t.Regions.Size = size
	t.Regions.MetaIndex, metaFits = region.ExtentOf(meta, size-blockformat.LevelDBFooterLen)
	t.Regions.TopIndex, indexFits = region.ExtentOf(index, size-blockformat.LevelDBFooterLen)
	if !metaFits || !indexFits {
		return fmt.Errorf("its footer points behind its end")
	}
	return nil
}

// readMetaIndex places the filter.
func (t *table) readMetaIndex(r io.ReaderAt) error {
	block, err := readBlock(r, t.Regions.MetaIndex)
	if err != nil {
		return err
	}
	fits := true
	err = blockformat.EachEntry(block, func(key, value []byte) bool {
		if string(key) != filterKey {
			return true
		}
		h, n := blockformat.DecodeHandle(value)
		if t.Regions.Filter, fits = region.ExtentOf(h, t.Ref.Size); n == 0 {
			fits = false
		}
		return false
	})
	if err != nil {
		return fmt.Errorf("its metaindex %w", err)
	}
	if !fits {
		return fmt.Errorf("its metaindex places the filter behind its end")
	}
	return nil
}

// dataBlock is a data block as the index names it.
type dataBlock struct {
	extent region.Extent
	upTo   []byte // user key at or above all its keys
}

// readIndex lists the table's data blocks. size is the index's, uncompressed.
func (t *table) readIndex(r io.ReaderAt) (blocks []dataBlock, size int64, err error) {
	block, err := readBlock(r, t.Regions.TopIndex)
	if err != nil {
		return nil, 0, err
	}
	var wrong error
	err = blockformat.EachEntry(block, func(internal, value []byte) bool {
		h, n := blockformat.DecodeHandle(value)
		e, fits := region.ExtentOf(h, t.Regions.TopIndex.Off)
		key, _, kerr := userKey(internal)
		if n == 0 || !fits || kerr != nil {
			wrong = fmt.Errorf("its index has an entry that names no data block")
			return false
		}
		blocks = append(blocks, dataBlock{e, bytes.Clone(key)})
		return true
	})
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("its index %w", err)
	case wrong != nil:
		return nil, 0, wrong
	case len(blocks) == 0:
		return nil, 0, fmt.Errorf("its index names no data block")
	}
	return blocks, int64(len(block)), nil
}

// Verify checks that data, filter, metaindex, index and footer follow one another
// (goleveldb: leveldb/table/writer.go, Close). Between data and metaindex there may be a
// filter of another policy, which Gets do not consult.
func (t *table) Verify() error {
	r := &t.Regions
	filterEnd := r.MetaIndex.Off
	if r.Filter != (region.Extent{}) {
		if r.Filter.Off != r.Data.End {
			return fmt.Errorf("its filter does not lie behind its data")
		}
		filterEnd = r.Filter.End
	}
	if r.Data.End > r.MetaIndex.Off || filterEnd != r.MetaIndex.Off || r.MetaIndex.End != r.TopIndex.Off || r.TopIndex.End != r.Size-blockformat.LevelDBFooterLen {
		return fmt.Errorf("its blocks do not follow one another: %+v", *r)
	}
	return nil
}

// Shape implements catalog.Table.
func (t *table) Shape() lsm.Table {
	s := lsm.Table{
		File: t.Ref.File, Smallest: t.Ref.Smallest, Largest: t.Ref.Largest, Bytes: t.Ref.Size,
		DataBytes: t.Regions.Data.End, DataBlocks: t.dataBlocks,
		TopIndexBytes: t.indexBytes, TopIndexOffset: t.Regions.TopIndex.Off,
	}
	if f := t.Regions.Filter; f != (region.Extent{}) {
		s.FilterBytes, s.FilterOffset = f.End-f.Off-blockformat.TrailerLen, f.Off // never compressed
	}
	return s
}
