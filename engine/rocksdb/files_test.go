//go:build rocksdb

package rocksdb

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine/region"
	"getio/internal/truth/truthtest"
)

// A read that ends early is an error: RocksDB ignores it for a filter. A page that reaches past the end of the table is
// no error.
func TestTableEndsEarly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "mixed", dir)
	paths, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	s := storeOf(t, dir).(*store)
	f := &files{regions: s.catalog.FileRegions, counter: &region.Counter{}}
	table, err := f.open(paths[0])
	require.NoError(t, err)
	defer table.file.Close()
	page := make([]byte, 4096)
	n, _, err := table.read(page, table.size-10, true, 0)
	require.NoError(t, err)
	require.Equal(t, 10, n)
	require.NoError(t, os.Truncate(paths[0], table.size/2))
	for _, opening := range []bool{true, false} {
		_, _, err = table.read(page[:20], table.size/2-10, opening, 0)
		require.ErrorContains(t, err, "bytes: check the disk, or restore the table from a copy")
	}
}
