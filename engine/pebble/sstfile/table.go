// Package sstfile reads the table files (sstables) of both versions of Pebble: their
// region maps and shapes. It also samples their keys.
//
// It reads table tails with the table reader of v2, which also reads every format that v1
// writes. Measured lookups do not use it: each engine measures its own library.
package sstfile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/block/blockkind"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/sstable/rowblk"

	"getio/engine/blockformat"
	"getio/engine/catalog"
	"getio/engine/region"
)

// table holds the contents of the tail of a table file.
type table struct {
	catalog.Tail
	open     Open
	opts     *sstable.ReaderOptions
	props    sstable.Properties
	format   sstable.TableFormat
	checksum block.ChecksumType
	top      block.Handle
	twoLevel bool
	ranges   region.Extent // the block of deleted ranges; empty if there is none
}

// readTable reads a table's footer, metaindex, properties and top index.
func readTable(ref catalog.Ref, open Open, opts *sstable.ReaderOptions) (_ *table, err error) {
	file, err := open.file(ref)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &recordedFile{diskFile: file}
	// The library panics on an unknown key schema.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("table %s cannot be read: %v", ref.Path, p)
		}
	}()
	r, err := sstable.NewReader(context.Background(), f, *opts)
	if err != nil {
		return nil, fmt.Errorf("table %s cannot be read: %w", ref.Path, err)
	}
	t := &table{Tail: catalog.Tail{Ref: ref}, open: open, opts: opts, twoLevel: r.Attributes.Has(sstable.AttributeTwoLevelIndex)}
	t.checksum = r.BlockReader().ChecksumType()
	if t.format, err = r.TableFormat(); err != nil {
		return nil, fmt.Errorf("table %s: %w", ref.Path, err)
	}
	if t.props, err = r.ReadPropertiesBlock(context.Background(), nil); err != nil {
		return nil, fmt.Errorf("table %s: its properties cannot be read: %w", ref.Path, err)
	}
	if err := t.mapRegions(f, r.BlockReader()); err != nil {
		return nil, fmt.Errorf("table %s: %w: the table is damaged, or of a layout that getio does not know", ref.Path, err)
	}
	if t.props.NumRangeDeletions > 0 {
		ranges, err := r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
		if err != nil {
			return nil, fmt.Errorf("table %s: its deleted ranges cannot be read: %w", ref.Path, err)
		}
		ranges.Close()
		t.ranges = f.reads[len(f.reads)-1]
	}
	return t, nil
}

// mapRegions derives the region map from the library's own reads when it opened the table
// (tail, metaindex, properties), from the footer, and from the top index, which locates
// the second-level index blocks.
func (t *table) mapRegions(f *recordedFile, blocks *block.Reader) error {
	if len(f.reads) < 3 {
		return fmt.Errorf("opening it took %d reads instead of 3", len(f.reads))
	}
	footer := f.tail[len(f.tail)-t.format.FooterSize():]
	if t.format != sstable.TableFormatLevelDB {
		footer = footer[1:] // the checksum type
	}
	_, n := block.DecodeHandle(footer)
	if n == 0 {
		return fmt.Errorf("its footer holds no metaindex handle")
	}
	top, n := block.DecodeHandle(footer[n:])
	if n == 0 {
		return fmt.Errorf("its footer holds no index handle")
	}
	t.top = top
	r := &t.Regions
	r.Size = f.size
	r.MetaIndex, r.Properties = f.reads[1], f.reads[2]
	r.TopIndex = extent(top)
	r.Data = region.Extent{Off: 0, End: int64(t.props.DataSize)}
	if t.twoLevel {
		partitions, err := t.named(blocks, top)
		if err != nil {
			return fmt.Errorf("its top index cannot be read: %w", err)
		}
		if len(partitions) == 0 {
			return fmt.Errorf("its top index is empty")
		}
		r.Index = region.Extent{Off: partitions[0].Extent.Off, End: partitions[len(partitions)-1].Extent.End}
	}
	if n := t.filterLen(); n > 0 {
		off := r.Data.End // row formats: behind the data
		if t.format.BlockColumnar() {
			off = r.TopIndex.End
		}
		r.Filter = region.Extent{Off: off, End: off + n}
	}
	return r.Verify()
}

// Verify compares the region map with the properties, and the blocks with one another.
func (t *table) Verify() error {
	r := &t.Regions
	if got := r.Filter.End - r.Filter.Off; got != t.filterLen() {
		return fmt.Errorf("its filter is mapped to %d bytes", got)
	}
	if r.Data != (region.Extent{Off: 0, End: int64(t.props.DataSize)}) {
		return fmt.Errorf("its data blocks are mapped to bytes %d to %d", r.Data.Off, r.Data.End)
	}
	if r.TopIndex != extent(t.top) {
		return fmt.Errorf("its top index is mapped to bytes %d to %d", r.TopIndex.Off, r.TopIndex.End)
	}
	return r.Verify()
}

// filterLen returns the length of the filter block in the file, 0 without a filter. The
// filter of a table with only range deletions is just a trailer.
func (t *table) filterLen() int64 {
	if t.props.FilterPolicyName == "" {
		return 0
	}
	return int64(t.props.FilterSize) + blockformat.TrailerLen
}

// named lists the blocks that an index block of either level names.
func (t *table) named(blocks *block.Reader, bh block.Handle) (list []catalog.NamedBlock, err error) {
	content, err := readBlock(blocks, bh)
	if err != nil {
		return nil, err
	}
	var iter block.IndexBlockIterator = new(rowblk.IndexIter)
	if t.format.BlockColumnar() {
		iter = new(colblk.IndexIter)
	}
	if err := iter.Init(pebble.DefaultComparer, content, block.NoTransforms); err != nil {
		return nil, err
	}
	for ok := iter.First(); ok; ok = iter.Next() {
		h, err := iter.BlockHandleWithProperties()
		if err != nil {
			return nil, err
		}
		list = append(list, catalog.NamedBlock{Extent: extent(h.Handle), UpTo: bytes.Clone(iter.Separator())})
	}
	return list, nil
}

// readBlock returns the contents of a block, verified and decompressed.
func readBlock(blocks *block.Reader, bh block.Handle) ([]byte, error) {
	keepAsIs := func(*block.Metadata, []byte) error { return nil }
	b, err := blocks.Read(context.Background(), block.NoReadEnv, nil, bh, blockkind.Metadata, keepAsIs)
	if err != nil {
		return nil, err
	}
	defer b.Release()
	return bytes.Clone(b.BlockData()), nil
}

func extent(h block.Handle) region.Extent {
	return region.Extent{Off: int64(h.Offset), End: int64(h.Offset + h.Length + blockformat.TrailerLen)}
}

func handle(e region.Extent) block.Handle {
	return block.Handle{Offset: uint64(e.Off), Length: uint64(e.End - e.Off - blockformat.TrailerLen)}
}

// Open opens a table's file and returns its size. Nil opens it on disk.
type Open func(ref catalog.Ref) (f catalog.File, size int64, err error)

func (open Open) file(ref catalog.Ref) (*diskFile, error) {
	if open == nil {
		open = openFile
	}
	f, size, err := open(ref)
	if err != nil {
		return nil, fmt.Errorf("it cannot be opened: %w", err)
	}
	return &diskFile{f, size}, nil
}

func openFile(ref catalog.Ref) (catalog.File, int64, error) {
	f, err := os.Open(ref.Path)
	if err != nil {
		return nil, 0, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, fi.Size(), nil
}

// diskFile is an open table file for the library's table reader.
type diskFile struct {
	catalog.File
	size int64
}

var _ objstorage.Readable = (*diskFile)(nil)

func (f *diskFile) ReadAt(_ context.Context, p []byte, off int64) error {
	_, err := f.File.ReadAt(p, off)
	return err
}

func (f *diskFile) Size() int64 { return f.size }

func (f *diskFile) NewReadHandle(objstorage.ReadBeforeSize) objstorage.ReadHandle {
	h := objstorage.MakeNoopReadHandle(f)
	return &h
}

// recordedFile is a table file that records the extents that its single reader reads.
type recordedFile struct {
	*diskFile
	reads []region.Extent
	tail  []byte // result of the first read
}

func (f *recordedFile) ReadAt(ctx context.Context, p []byte, off int64) error {
	if err := f.diskFile.ReadAt(ctx, p, off); err != nil {
		return err
	}
	f.reads = append(f.reads, region.Extent{Off: off, End: off + int64(len(p))})
	if len(f.reads) == 1 {
		f.tail = append(f.tail, p...)
	}
	return nil
}

func (f *recordedFile) NewReadHandle(objstorage.ReadBeforeSize) objstorage.ReadHandle {
	h := objstorage.MakeNoopReadHandle(f)
	return &h
}

// FileNumber parses the number in a table's file name, such as 000123.sst.
func FileNumber(path string) (number uint64, isTable bool) {
	digits, isTable := strings.CutSuffix(filepath.Base(path), ".sst")
	if !isTable {
		return 0, false
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// silent is the logger of table readers. They need one because they check whether tracing
// is on after slow reads, and have no default for direct reads of blocks.
type silent struct{}

var _ pebble.LoggerAndTracer = silent{}

func (silent) Infof(string, ...any)                   {}
func (silent) Errorf(string, ...any)                  {}
func (silent) Fatalf(format string, args ...any)      { panic(fmt.Errorf(format, args...)) }
func (silent) Eventf(context.Context, string, ...any) {}
func (silent) IsTracingEnabled(context.Context) bool  { return false }
