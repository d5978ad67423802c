// Package ldbfile decodes the files of LevelDB databases: the MANIFEST, which lists the tables of
// the tree, the write-ahead log, and the tables with their region maps. It also samples their keys.
//
// Measured lookups do not use it: the engine measures its own library.
package ldbfile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/golang/snappy"

	"getio/engine/blockformat"
	"getio/engine/catalog"
	"getio/engine/failure"
	"getio/engine/lsm"
	"getio/engine/region"
)

// Names of filter policies. Their filters have the same bits; a client consults only those of its own name.
const (
	GoFilters       = "leveldb.BuiltinBloomFilter"  // goleveldb (leveldb/filter/bloom.go)
	OriginalFilters = "leveldb.BuiltinBloomFilter2" // LevelDB (util/bloom.cc)
)

const filterPrefix = "filter." // of a filter's entry in the metaindex, before the name of its policy

// table holds the contents of the tail of a table file.
type table struct {
	catalog.BlockTail
	dataBlocks int64
	indexBytes int64  // uncompressed
	policy     string // of its filter; "" if it has none
}

// reader returns what reads a table's footer, metaindex and index, as a client does that consults the filters of a
// policy. The index has one level: it names every data block.
func reader(policy string) func(catalog.Ref) (*table, error) {
	return func(ref catalog.Ref) (*table, error) {
		t := &table{BlockTail: catalog.BlockTail{Tail: catalog.Tail{Ref: ref}}}
		return t, t.ReadTail(func(r io.ReaderAt) error { return t.read(r, policy) })
	}
}

// FilterPolicy returns the name of the policy of a table's filter, or "" if it has none.
func FilterPolicy(ref catalog.Ref) (string, error) {
	t := &table{BlockTail: catalog.BlockTail{Tail: catalog.Tail{Ref: ref}}}
	err := t.ReadTail(func(r io.ReaderAt) error { return t.readMeta(r, "") })
	return t.policy, err
}

// readMeta places metaindex, index and the filter, if that is of the given policy.
func (t *table) readMeta(r io.ReaderAt, policy string) error {
	if err := t.readFooter(r); err != nil {
		return err
	}
	metaindex, err := readBlock(r, t.Regions.MetaIndex)
	if err != nil {
		return err
	}
	return catalog.EachNamed(metaindex, t.Ref.Size, func(name string, e region.Extent) {
		if of, is := strings.CutPrefix(name, filterPrefix); is && t.Regions.Filter == (region.Extent{}) {
			if t.policy = of; of == policy {
				t.Regions.Filter = e
			}
		}
	})
}

// read fills in what the table's tail says.
func (t *table) read(r io.ReaderAt, policy string) error {
	if err := t.readMeta(r, policy); err != nil {
		return err
	}
	blocks, size, err := t.readIndex(r)
	if err != nil {
		return err
	}
	t.dataBlocks, t.indexBytes = int64(len(blocks)), size
	at := int64(0)
	for _, b := range blocks {
		if b.Extent.Off != at {
			return fmt.Errorf("its data blocks leave a gap at byte %d (next block at %d)", at, b.Extent.Off)
		}
		at = b.Extent.End
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
		return fmt.Errorf("it does not end with the magic number of a LevelDB table")
	}
	meta, n := blockformat.DecodeHandle(footer[:])
	index, m := blockformat.DecodeHandle(footer[n:])
	if n == 0 || m == 0 {
		return fmt.Errorf("its footer is malformed")
	}
	end := size - blockformat.LevelDBFooterLen
	return cmp.Or(catalog.Place(&t.Regions.MetaIndex, meta, end), catalog.Place(&t.Regions.TopIndex, index, end))
}

// readIndex lists the table's data blocks. size is the index's, uncompressed.
func (t *table) readIndex(r io.ReaderAt) (blocks []catalog.NamedBlock, size int64, err error) {
	block, err := readBlock(r, t.Regions.TopIndex)
	if err != nil {
		return nil, 0, err
	}
	for entry, err := range blockformat.All(block) {
		if err != nil {
			return nil, 0, fmt.Errorf("its index %w", err)
		}
		h, n := blockformat.DecodeHandle(entry.Value)
		e, fits := region.ExtentOf(h, t.Regions.TopIndex.Off)
		key, _, err := userKey(entry.Key)
		if n == 0 || !fits || err != nil {
			return nil, 0, fmt.Errorf("its index has an entry that does not point to a data block")
		}
		blocks = append(blocks, catalog.NamedBlock{Extent: e, UpTo: bytes.Clone(key)})
	}
	if len(blocks) == 0 {
		return nil, 0, fmt.Errorf("its index lists no data blocks")
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
			return fmt.Errorf("its filter does not follow its data")
		}
		filterEnd = r.Filter.End
	}
	if r.Data.End > r.MetaIndex.Off || filterEnd != r.MetaIndex.Off || r.MetaIndex.End != r.TopIndex.Off || r.TopIndex.End != r.Size-blockformat.LevelDBFooterLen {
		return fmt.Errorf("its blocks are not contiguous: %+v", *r)
	}
	return nil
}

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

// readBlock reads the block in e, verified and decompressed.
func readBlock(r io.ReaderAt, e region.Extent) ([]byte, error) {
	return catalog.ReadBlock(r, e, unpack)
}

// levelDBZstd is a compression of LevelDB in C++ that goleveldb does not have (LevelDB: include/leveldb/options.h).
const levelDBZstd = 2

// unpack verifies a stored block with its trailer, and decompresses it.
func unpack(stored []byte) ([]byte, error) {
	body := len(stored) - blockformat.TrailerLen
	if !blockformat.Intact(stored) {
		return nil, errors.New("does not match its checksum")
	}
	switch stored[body] {
	case blockformat.Plain:
		return stored[:body], nil
	case blockformat.Snappy:
		if n, err := snappy.DecodedLen(stored[:body]); err != nil || n > blockformat.MaxSnappyExpansion*body {
			return nil, errors.New("is not valid Snappy data")
		}
		return snappy.Decode(nil, stored[:body])
	}
	// The checksum includes the type, so the block is whole.
	if stored[body] == levelDBZstd {
		return nil, failure.Unsupported(fmt.Sprintf("has compression %d (kZstdCompression of C++ LevelDB), which goleveldb does not read", stored[body]))
	}
	return nil, failure.Unsupported(fmt.Sprintf("has compression %d, which LevelDB does not have", stored[body]))
}

// Kinds of records, in the lowest byte of the trailer behind a user key, whose
// other bytes are the sequence number (goleveldb: leveldb/key.go).
const (
	kindDelete = 0
	kindSet    = 1
)

// userKey splits an internal key into its user key and the kind of the record.
func userKey(internal []byte) (key []byte, does catalog.Does, err error) {
	n := len(internal) - blockformat.KeyTrailerLen
	if n < 0 || internal[n] > kindSet {
		return nil, 0, errors.New("has a key without a sequence number, or with a record type that LevelDB does not have")
	}
	if does = catalog.Deletes; internal[n] == kindSet {
		does = catalog.Sets
	}
	return internal[:n], does, nil
}

// Catalog holds the tables of a database.
type Catalog = catalog.Catalog[*table]

// ReadCatalog reads the tails of the given tables in parallel. Gets consult the filters of the given policy. LevelDB
// searches every table of L0 that may hold a key, newest first (goleveldb: leveldb/version.go, walkOverlapping).
func ReadCatalog(ctx context.Context, refs []catalog.Ref, policy string) (*Catalog, error) {
	return catalog.New(ctx, refs, reader(policy), func(c *Catalog) *lsm.Shape {
		c.SearchesAllOfL0 = true
		return lsm.NewFilteredShape(c.Levels(func(a, b *catalog.Ref) int { return cmp.Compare(a.File, b.File) }))
	})
}

// Policies counts the tables of a catalog by the name of their filters' policy.
func Policies(c *Catalog) map[string]int {
	tables := map[string]int{}
	for _, t := range c.Tables {
		if t.policy != "" {
			tables[t.policy]++
		}
	}
	return tables
}

// Live returns the region maps of a database of goleveldb whose set of tables changes.
func Live() *region.Live { return catalog.Live(reader(GoFilters)) }

// Starts reads keys at which data blocks of a table begin: about one for each so many bytes.
func Starts(file uint64, path string, bytes int64) ([][]byte, error) {
	return catalog.Starts(reader(GoFilters), file, path, bytes)
}

// Format implements catalog.Table: LevelDB has one.
func (t *table) Format() string     { return "LevelDB" }
func (t *table) DataBlocks() uint64 { return uint64(t.dataBlocks) }

// Records implements catalog.Table: LevelDB does not record how many records a table has.
func (t *table) Records() (n uint64, known bool) { return 0, false }

// DeletedRanges implements catalog.Table: LevelDB has none.
func (t *table) DeletedRanges(catalog.File, [][]byte, catalog.Found) error { return nil }

func (t *table) ReadIndex(f catalog.File, keep bool) (*catalog.Index, error) {
	index := func(f catalog.File, _ int) ([]catalog.NamedBlock, error) {
		blocks, _, err := t.readIndex(f)
		return blocks, err
	}
	return catalog.NewIndex(f, 1, keep, index, func(f catalog.File, e region.Extent) (catalog.Data, error) {
		block, err := readBlock(f, e)
		return catalog.DataOf(block, e.Off, userKey), err
	})
}
