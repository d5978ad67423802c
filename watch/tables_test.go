package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/watch/probe"
)

// TestTablesThatVanish: a table that was being written when it was first seen, and was finished and
// deleted before the next look, has its map all the same; one that was never finished is let go.
func TestTablesThatVanish(t *testing.T) {
	for i, library := range []string{"pebblev1", "pebblev2", "goleveldb"} {
		t.Run(library, func(t *testing.T) {
			dir := directories(t, 1)[0]
			probetest.Start(t, "", probetest.Config{Library: library, Dirs: []string{dir}, Keys: 20_000, Settled: true})
			found, err := filepath.Glob(filepath.Join(dir, "*.[sl][sd][tb]"))
			require.NoError(t, err)
			require.NotEmpty(t, found)
			whole, err := os.ReadFile(found[0])
			require.NoError(t, err)

			self, err := openProcess(os.Getpid())
			require.NoError(t, err)
			defer self.close()
			empty := t.TempDir()
			tables := newTables(self, empty, libraries[i])
			defer tables.close()
			ext := filepath.Ext(found[0])
			finished, abandoned := filepath.Join(empty, "000007"+ext), filepath.Join(empty, "000008"+ext)
			half := whole[:len(whole)/2]
			require.NoError(t, os.WriteFile(finished, half, 0o600))
			require.NoError(t, os.WriteFile(abandoned, half, 0o600))
			tables.find()
			version, err := versionOf(finished)
			require.NoError(t, err)
			read := func(number uint64) bool {
				// No descriptor of this process has this number.
				return tables.read(&probe.Read{Name: filepath.Base(finished), FD: 1 << 20, FileVersion: version}, number) != nil
			}
			assert.False(t, read(7))
			assert.Len(t, tables.unfinished, 2)

			require.NoError(t, os.WriteFile(finished, whole, 0o600))
			version, err = versionOf(finished)
			require.NoError(t, err)
			require.NoError(t, os.Remove(finished))
			assert.True(t, read(7))
			require.NoError(t, os.Remove(abandoned))
			tables.find()
			assert.Empty(t, tables.unfinished)
			assert.True(t, read(7))
			assert.False(t, read(8))
		})
	}
}

// TestNumbersUsedAgain: a table has the map of its own contents, whatever table had its number and inode before. Which
// of them lookups in the cache were of is not known.
func TestNumbersUsedAgain(t *testing.T) {
	dir := directories(t, 1)[0]
	probetest.Start(t, "", probetest.Config{Library: "pebblev2", Dirs: []string{dir}, Keys: 20_000, Settled: true})
	found, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(found), 2)
	self, err := openProcess(os.Getpid())
	require.NoError(t, err)
	defer self.close()
	tables := newTables(self, t.TempDir(), libraries[1])
	defer tables.close()
	path := filepath.Join(tables.dir, "000007.sst")
	var versions []probe.FileVersion
	for i, original := range found[:2] {
		contents, err := os.ReadFile(original)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, contents, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(int64(i), 0)))
		v, err := versionOf(path)
		require.NoError(t, err)
		versions = append(versions, v)
		tables.find()
		want, err := libraries[1].maps().Regions(7, original)
		require.NoError(t, err)
		assert.Equal(t, want, tables.read(&probe.Read{Name: "000007.sst", FD: 1 << 20, FileVersion: v}, 7), original)
		if i == 0 {
			assert.Equal(t, want, tables.numbered(7))
		}
	}
	assert.Equal(t, versions[0].Inode, versions[1].Inode)
	assert.Nil(t, tables.numbered(7))
	require.NoError(t, os.Remove(path))
	first, err := libraries[1].maps().Regions(7, found[0])
	require.NoError(t, err)
	assert.Equal(t, first, tables.read(&probe.Read{Name: "000007.sst", FD: 1 << 20, FileVersion: versions[0]}, 7))
}
