package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/outside/probe"
	"getio/outside/probe/probetest"
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
			read := func(number uint64) bool {
				// No descriptor of this process has this number.
				return tables.read(&probe.Read{Name: filepath.Base(finished), FD: 1 << 20}, number) != nil
			}
			assert.False(t, read(7))
			assert.Len(t, tables.unfinished, 2)

			require.NoError(t, os.WriteFile(finished, whole, 0o600))
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
