package goleveldb

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
)

// TestFlush: a flush writes one table if anything was written since the last flush, and none otherwise.
func TestFlush(t *testing.T) {
	dir := t.TempDir()
	cfg, err := goLevelDB{}.Configure("", []string{"memtable_size=1MiB"})
	require.NoError(t, err)
	l, err := goLevelDB{}.Create(dir, cfg)
	require.NoError(t, err)
	tables := func(l engine.Loader) int {
		require.NoError(t, l.Flush())
		files, err := filepath.Glob(filepath.Join(dir, "*.ldb"))
		require.NoError(t, err)
		return len(files)
	}
	assert.Equal(t, 0, tables(l))
	require.NoError(t, l.Set([]byte("a"), nil))
	assert.Equal(t, 1, tables(l))
	b := l.NewBatch()
	require.NoError(t, b.Set([]byte("b"), nil))
	require.NoError(t, b.Commit())
	assert.Equal(t, 2, tables(l))
	assert.Equal(t, 2, tables(l))
	require.NoError(t, l.Set([]byte("c"), nil))
	require.NoError(t, l.Close())
	l, err = goLevelDB{}.Resume(dir, cfg) // writes the log of "c" to a table
	require.NoError(t, err)
	assert.Equal(t, 3, tables(l))
	require.NoError(t, l.Close())
}
