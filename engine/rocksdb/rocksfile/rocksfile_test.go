package rocksfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"

	"getio/engine/catalog"
	"getio/engine/readpath"
	"getio/engine/region"
)

// The tables of testdata hold these records, and one that deletes a key behind them.
const tableRecords = 300

func tableKey(i int) string { return fmt.Sprintf("key %06d", i*7) }

const deletedKey = "key 999999"

func refOf(t testing.TB, path string) catalog.Ref {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return catalog.Ref{Level: 6, File: 7, Path: path, Size: fi.Size(), Smallest: []byte(tableKey(0)), Largest: []byte(deletedKey)}
}

func tablePaths(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.sst")
	require.NoError(t, err)
	require.Len(t, paths, 19)
	return paths
}

// openTable is a table with its file and index open.
type openTable struct {
	*table
	file  catalog.File
	index *catalog.Index
}

// opened reads a table and its index.
func opened(t testing.TB, path string) *openTable {
	t.Helper()
	table, err := readTable(refOf(t, path))
	require.NoError(t, err)
	file, err := table.Open()
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	index, err := table.ReadIndex(file, false)
	require.NoError(t, err)
	return &openTable{table, file, index}
}

// records calls each with the records of data block n.
func (o *openTable) records(n uint64, each func(key []byte, does catalog.Does)) error {
	d, err := o.index.Read(o.file, n)
	if err != nil {
		return err
	}
	for r, err := range d.Records {
		if err != nil {
			return err
		}
		each(r.Key, r.Does)
	}
	return nil
}

// Every record of tables of all formats, compressions, checksums and kinds of indexes is
// found, in order, in the block that the index says.
func TestTablesOfAllFormats(t *testing.T) {
	for _, path := range tablePaths(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			o := opened(t, path)
			if o.index.Len() != o.props.dataBlocks || o.index.Len() < 10 || o.props.entries != tableRecords+1 || o.props.deletes != 1 {
				t.Errorf("%d data blocks, %+v", o.index.Len(), o.props)
			}
			n, at := 0, int64(0)
			for i := range o.index.Len() {
				b, err := o.index.At(o.file, i)
				require.NoError(t, err)
				assert.Equal(t, at, b.Extent.Off, "begin of data block %d", i)
				at = b.Extent.End
				require.NoError(t, o.records(i, func(key []byte, does catalog.Does) {
					want := tableKey(n)
					if n == tableRecords {
						want = deletedKey
					}
					if string(key) != want || (does == catalog.Sets) != (n < tableRecords) || bytes.Compare(key, b.UpTo) > 0 {
						t.Fatalf("record %d is %q (%v), in the block up to %q", n, key, does, b.UpTo)
					}
					n++
				}))
			}
			if n != tableRecords+1 || at != o.Regions.Data.End {
				t.Errorf("%d records, in blocks that end at %d of %d", n, at, o.Regions.Data.End)
			}
			requireRegions(t, o)
		})
	}
}

// requireRegions compares the region map and the shape with the blocks themselves.
func requireRegions(t *testing.T, o *openTable) {
	t.Helper()
	m := &o.Regions
	s := o.Shape()
	top, err := o.readBlock(o.file, m.TopIndex, none)
	require.NoError(t, err)
	assert.EqualValues(t, len(top), s.TopIndexBytes, "bytes of the top index")
	var index int64
	if o.twoLevel() {
		for _, e := range o.indexes {
			b, err := o.readBlock(o.file, e, none)
			require.NoError(t, err)
			index += int64(len(b))
			if c, placed, _ := m.Classify(e.Off, int(e.End-e.Off)); c != readpath.Index || !placed {
				t.Errorf("index block %+v is for %s", e, c)
			}
		}
		if len(o.indexes) < 2 || s.IndexBlocks != int64(len(o.indexes)) {
			t.Errorf("%d index blocks, the shape says %d", len(o.indexes), s.IndexBlocks)
		}
	}
	assert.Equal(t, s.IndexBytes, index)
	filter := m.Filter.End - m.Filter.Off - blockformat.TrailerLen
	if p := m.FilterPartitions; p.End > 0 && (p.End != m.Filter.Off || p.Off != m.Data.End) {
		t.Errorf("filters from %d to %d, data up to %d, the block that tells them apart from %d", p.Off, p.End, m.Data.End, m.Filter.Off)
	} else if p.End == 0 && filter != s.FilterBytes {
		t.Errorf("the filter has %d bytes, the shape says %d", filter, s.FilterBytes)
	}
	for e, want := range map[region.Extent]readpath.Component{
		m.TopIndex: readpath.TopIndex, m.Filter: readpath.Filter, m.Properties: readpath.TableOpen, m.MetaIndex: readpath.TableOpen,
		{Off: m.Size - o.footer.len, End: m.Size}: readpath.TableOpen,
	} {
		if c, placed, _ := m.Classify(e.Off, int(e.End-e.Off)); c != want || !placed {
			t.Errorf("%+v is for %s, want %s", e, c, want)
		}
	}
}

// A catalog of one table has its shape and regions.
func TestCatalog(t *testing.T) {
	path := filepath.Join("testdata", "format5-zstd.sst")
	c, err := ReadCatalog(context.Background(), []catalog.Ref{refOf(t, path)}, nil, Filtering{WholeKeys: true})
	require.NoError(t, err)
	total := c.Shape().Total()
	if total.Records != tableRecords+1 || total.Tables != 1 || !c.Shape().LastLevelFilters || !c.Shape().FiltersFirst {
		t.Errorf("%+v", c.Shape())
	}
	// Two blocks of the filter, two of the index, data.
	assert.EqualValues(t, 5, c.Shape().WorstCaseReads)
	if check := c.Check(); !check.OK {
		t.Error(check.Detail)
	}
	m := c.Regions(7)
	for e, want := range map[region.Extent]readpath.Component{m.TopIndex: readpath.TopIndex, m.Filter: readpath.Filter, m.Index: readpath.Index, m.FilterPartitions: readpath.Filter} {
		n := int(e.End - e.Off)
		if got, placed, _ := m.Classify(e.Off, n); got != want || !placed {
			t.Errorf("%+v is for %s, want %s", e, got, want)
		}
	}
	assert.Nil(t, c.Regions(8), "there is a map of a table that is not there")
	levels := c.LevelProperties()
	if l := levels[6]; l.Count != 1 || l.Sets != tableRecords || l.Deletes != 1 || l.DataBlocks != uint64(total.DataBlocks) {
		t.Errorf("%+v", l)
	}
	assert.Equal(t, 1, c.TableFormats()["RocksDB 5"])
}

// Errors for damaged and foreign tables are one line.
func TestTablesThatCannotBeRead(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "format5-zstd.sst"))
	require.NoError(t, err)
	changed := func(change func(b []byte)) []byte {
		b := bytes.Clone(whole)
		change(b)
		return b
	}
	end := len(whole)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, "too short for a footer (0 bytes)"},
		"short":     {whole[end-40:], "too short for a footer (40 bytes)"},
		"no table":  {changed(func(b []byte) { b[end-1]++ }), "the magic number of a RocksDB table"},
		"newer":     {changed(func(b []byte) { b[end-12] = 8 }), "it has format 8, but getio reads formats only up to 7"},
		"checksum":  {changed(func(b []byte) { b[end-blockformat.RocksDBFooterLen] = 9 }), "checksum type 9, which getio does not know"},
		"plain":     {changed(func(b []byte) { copy(b[end-8:], "\x64\x95\xbf\x63\x96\x22\x42\x82") }), "plain table"},
		"tail only": {whole[end-60:], "its footer points past its end"},
		"metaindex": {changed(func(b []byte) { b[end-blockformat.RocksDBFooterLen-20] ^= 1 }), "does not match its checksum"},
	} {
		path := filepath.Join(t.TempDir(), "000007.sst")
		require.NoError(t, os.WriteFile(path, c.data, 0o600))
		_, err := ReadCatalog(context.Background(), []catalog.Ref{{Path: path, Size: int64(len(c.data))}}, nil, Filtering{WholeKeys: true})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join("testdata", "format0.sst")
	_, err = readTable(catalog.Ref{Path: path, Size: 5})
	assert.ErrorContains(t, err, "the MANIFEST says 5")
	_, err = readTable(catalog.Ref{Path: "none.sst"})
	assert.ErrorContains(t, err, "none.sst cannot be opened")
}

// globalSeq returns where a table's properties hold the sequence number of all its records.
func globalSeq(t *testing.T, table []byte) (off int64) {
	t.Helper()
	name := []byte(strings.TrimPrefix(propertyGlobalSeq, "rocksdb.")) // the block stores what a key shares with the one before once
	require.Equal(t, 1, bytes.Count(table, name))
	return int64(bytes.Index(table, name) + len(name))
}

// Checksums detect a change of any byte of a block, but for the sequence number that RocksDB writes later.
func TestChecksumsNoticeEveryByte(t *testing.T) {
	for _, path := range tablePaths(t) {
		table, err := readTable(refOf(t, path))
		require.NoError(t, err)
		if table.footer.checksum == checksumNone {
			continue
		}
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		e := table.Regions.Properties
		seq := globalSeq(t, whole)
		for at := e.Off; at < e.End; at += 13 {
			if at >= seq && at < seq+8 {
				continue
			}
			b := bytes.Clone(whole)
			b[at] ^= 0x40
			_, err := table.readBlock(bytes.NewReader(b), e, none)
			assert.Error(t, err, "%s: byte %d changed and was not noticed", path, at)
		}
		if table.footer.format < contextFormat {
			continue
		}
		_, err = table.readBlock(bytes.NewReader(whole[1:]), region.Extent{Off: e.Off - 1, End: e.End - 1}, none)
		assert.ErrorIs(t, err, ErrChecksum, "%s: a block that moved was not noticed", path)
	}
}

// A table that was ingested with a sequence number written into it is read like the one that it was.
func TestWrittenGlobalSequenceNumber(t *testing.T) {
	for _, path := range tablePaths(t) {
		want := opened(t, path)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		binary.LittleEndian.PutUint64(b[globalSeq(t, b):], 123_456_789)
		ingested := filepath.Join(t.TempDir(), "000007.sst")
		require.NoError(t, os.WriteFile(ingested, b, 0o600))
		assert.Equal(t, want.Shape(), opened(t, ingested).Shape())
	}
}

func TestCompressionNames(t *testing.T) {
	for kind, want := range map[byte]string{
		6:    "6 (kXpressCompression)",
		9:    "9 (none of RocksDB's)",
		0x40: "64 (kZSTDNotFinalCompression)",
		0x8A: "138 (kCustomCompression8A, a client's own)",
		0xFF: "255 (none of RocksDB's)",
	} {
		_, err := none.unpack(kind, []byte{1, 1}, 5)
		assert.EqualError(t, err, "has compression "+want+", which getio does not read")
	}
}

// FuzzReadTable reads damaged tables. Each read must return an error or a region map whose
// blocks decode or return an error.
func FuzzReadTable(f *testing.F) {
	for _, path := range tablePaths(f) {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data, len(data)-600, byte(1))
		f.Add(data, len(data)-20, byte(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int, with byte) {
		if len(data) > 0 {
			data[uint(at)%uint(len(data))] ^= with
		}
		ref := catalog.Ref{File: 7, Path: filepath.Join(t.TempDir(), "000007.sst"), Size: int64(len(data))}
		require.NoError(t, os.WriteFile(ref.Path, data, 0o600))
		table, err := readTable(ref)
		if err != nil {
			return
		}
		r := table.Regions
		for _, e := range []region.Extent{r.Data, r.Filter, r.FilterPartitions, r.Index, r.TopIndex, r.Properties, r.MetaIndex} {
			if e.Off < 0 || e.End < e.Off || e.End > r.Size {
				t.Errorf("extent %+v of a file of %d bytes", e, r.Size)
			}
		}
		file, err := table.Open()
		require.NoError(t, err)
		defer file.Close()
		index, err := table.ReadIndex(file, true)
		if err != nil {
			return
		}
		o := &openTable{table, file, index}
		for n := range o.index.Len() {
			_ = o.records(n, func([]byte, catalog.Does) {})
		}
	})
}

// FuzzBlock decodes arbitrary blocks. The decoders must terminate.
func FuzzBlock(f *testing.F) {
	o := opened(f, filepath.Join("testdata", "format5-zstd.sst"))
	for _, e := range append([]region.Extent{o.Regions.TopIndex}, o.indexes...) {
		b, err := o.readBlock(o.file, e, none)
		require.NoError(f, err)
		f.Add(b, true, false)
		f.Add(b, false, true)
	}
	f.Fuzz(func(t *testing.T, block []byte, delta, first bool) {
		size := int64(1 << 20)
		list, err := indexForm{userKeys: true, delta: delta, firstKey: first}.decode(block, size)
		if err != nil {
			return
		}
		at := int64(0)
		for _, b := range list {
			if b.Extent.Off < at || b.Extent.End > size {
				t.Fatalf("block %+v behind one that ends at %d", b.Extent, at)
			}
			at = b.Extent.End
		}
	})
}
