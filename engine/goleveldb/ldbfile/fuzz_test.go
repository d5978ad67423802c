package ldbfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
	"getio/engine/catalog"
	"getio/engine/region"
)

// FuzzManifestRecord decodes arbitrary records. The decoder must return an error or valid tables.
func FuzzManifestRecord(f *testing.F) {
	f.Add(append(append([]byte{tagAdded, 0, 5, 10}, internal("a")...), internal("b")...))
	f.Add([]byte{tagComparer, 1, 'c', tagLog, 3, tagNextFile, 9, tagLastSeq, 200, 1, tagDeleted, 6, 4})
	f.Fuzz(func(t *testing.T, record []byte) {
		m := newTree()
		if m.apply(record) != nil {
			return
		}
		for at, ref := range m.tables {
			if at.level != ref.Level || at.file != ref.File || ref.Level > 6 || ref.Size < 0 || string(ref.Smallest) > string(ref.Largest) {
				t.Errorf("%+v at %+v", ref, at)
			}
		}
	})
}

// FuzzReadTable reads damaged tables. Each read must return an error or a region map
// without gaps, whose blocks decode or return an error.
func FuzzReadTable(f *testing.F) {
	w := write(f, smallTree(), 3000)
	for _, ref := range w.manifest(f).Tables[:2] {
		data, err := os.ReadFile(ref.Path)
		require.NoError(f, err)
		tail := len(data) - 600
		f.Add(data, tail, byte(1))
		f.Add(data[tail:], 0, byte(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int, with byte) {
		if len(data) > 0 {
			data[uint(at)%uint(len(data))] ^= with
		}
		ref := catalog.Ref{File: 7, Path: filepath.Join(t.TempDir(), "000007.ldb"), Size: int64(len(data))}
		require.NoError(t, os.WriteFile(ref.Path, data, 0o600))
		table, err := reader(GoFilters)(ref)
		if err != nil {
			return
		}
		r := table.Regions
		for _, e := range []region.Extent{r.Data, r.Filter, r.TopIndex, r.MetaIndex} {
			if e.Off < 0 || e.End < e.Off || e.End > r.Size {
				t.Errorf("extent %+v of a file of %d bytes", e, r.Size)
			}
		}
		file, err := table.Open()
		require.NoError(t, err)
		defer file.Close()
		index, err := table.ReadIndex(file, true)
		require.NoError(t, err)
		for n := range index.Len() {
			if d, err := index.Read(file, n); err == nil {
				for range d.Records {
				}
			}
		}
	})
}

// FuzzBlock decodes arbitrary blocks. All entries must lie within the block.
func FuzzBlock(f *testing.F) {
	f.Add([]byte{0, 1, 1, 'a', 'v', 1, 1, 0, 'b', 0, 0, 0, 0, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, block []byte) {
		total := 0
		for entry := range blockformat.All(block) {
			total += len(entry.Value)
		}
		assert.LessOrEqual(t, total, len(block), "bytes of values")
		_, _ = unpack(block)
	})
}
