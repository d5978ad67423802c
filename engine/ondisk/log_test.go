package ondisk

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb/journal"
)

// TestManifestTorn cuts a MANIFEST everywhere near the border of a block and at its end, and damages it.
func TestManifestTorn(t *testing.T) {
	var log bytes.Buffer
	w := journal.NewWriter(&log)
	ends := map[int]bool{0: true}
	for i := range 12 {
		record, err := w.Next()
		require.NoError(t, err)
		_, err = record.Write(bytes.Repeat([]byte{byte(i)}, 2990+i))
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		ends[log.Len()] = true
	}
	whole := log.Bytes()
	require.Greater(t, len(whole), logBlock)
	path := filepath.Join(t.TempDir(), "MANIFEST-000001")
	torn := func(b []byte) (bool, error) {
		require.NoError(t, os.WriteFile(path, b, 0o644))
		return ManifestTorn(path)
	}
	for cut := logBlock - 3100; cut <= len(whole); cut++ {
		got, err := torn(whole[:cut])
		require.NoError(t, err, "cut at byte %d", cut)
		require.Equal(t, !ends[cut], got, "cut at byte %d", cut)
	}
	for _, at := range []int{1, 9, 3500, len(whole) - 1} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 4
		_, err := torn(damaged)
		assert.ErrorContains(t, err, "cannot be read", "byte %d", at)
	}
}
