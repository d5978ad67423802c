package chain

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/golang/snappy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeFreezer writes a table of bodies in one data file, and returns its directory.
func writeFreezer(t testing.TB, index, data []byte) (dir string) {
	dir = t.TempDir()
	chain := filepath.Join(dir, "chain")
	require.NoError(t, os.Mkdir(chain, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(chain, "bodies.cidx"), index, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(chain, "bodies.0000.cdat"), data, 0o644))
	return dir
}

// indexOf is an index of items in file 0 that end at these offsets.
func indexOf(ends ...uint32) (index []byte) {
	for _, end := range append([]uint32{0}, ends...) {
		index = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(index, 0), end)
	}
	return index
}

// TestItemsLargerThanTheirFile are refused before memory is taken for them.
func TestItemsLargerThanTheirFile(t *testing.T) {
	item := snappy.Encode(nil, []byte("a body"))
	data := append(bytes.Clone(item), item...)
	large := binary.AppendUvarint(nil, 1<<31) // says that it is of 2 GiB
	for _, c := range []struct {
		index, data []byte
		says        string
	}{
		{indexOf(math.MaxUint32, uint32(len(data))), data, "cut short"},
		{indexOf(uint32(len(large)), uint32(len(large))), large, "corrupt"},
	} {
		f, err := openFreezer(writeFreezer(t, c.index, c.data), false)
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = f.item("bodies", 0)
		runtime.ReadMemStats(&after)
		assert.ErrorContains(t, err, c.says)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		require.NoError(t, f.Close())
	}
}

// FuzzFreezer reads arbitrary freezers. No item is longer than its data can expand to.
func FuzzFreezer(f *testing.F) {
	item := snappy.Encode(nil, bytes.Repeat([]byte("body"), 100))
	f.Add(indexOf(uint32(len(item)), uint32(2*len(item))), append(bytes.Clone(item), item...))
	f.Add(indexOf(0), []byte{})
	f.Fuzz(func(t *testing.T, index, data []byte) {
		freezer, err := openFreezer(writeFreezer(t, index, data), false)
		if err != nil || freezer == nil {
			return
		}
		defer freezer.Close()
		for n := range min(freezer.tables["bodies"].items, 100) {
			if item, err := freezer.item("bodies", n); err == nil {
				assert.LessOrEqual(t, len(item), mostExpansion*len(data))
			}
		}
	})
}
