package rocksdb

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb/journal"

	"getio/engine/lsm"
)

// TestLevelsOfAManifest: as many as its tables need, unless a level is one that no tree has: the library would take memory
// for it.
func TestLevelsOfAManifest(t *testing.T) {
	for level, want := range map[uint64]int{3: lsm.NumLevels, 9: 10, 1 << 30: lsm.NumLevels, 1 << 63: lsm.NumLevels} {
		path := filepath.Join(t.TempDir(), "MANIFEST-000001")
		f, err := os.Create(path)
		require.NoError(t, err)
		edit := binary.AppendUvarint([]byte{editNewFile}, level)
		edit = append(edit, 5, 100, 1, 'a', 1, 'b') // the table's number and size, its smallest and largest keys
		w := journal.NewWriter(f)
		record, err := w.Next()
		require.NoError(t, err)
		_, err = record.Write(edit)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, f.Close())
		m, err := readManifest(path)
		assert.Equal(t, want, m.levels, "level %d", level)
		assert.Equal(t, level < mostLevels, err == nil, "level %d: %v", level, err)
	}
}
