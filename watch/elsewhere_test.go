package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/measure/livecopy"
)

// requireOf requires that the tables of a directory are those of another one.
func requireOf(t *testing.T, database, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, path := range found {
		is, err := os.Stat(path)
		require.NoError(t, err)
		want, err := os.Stat(filepath.Join(database, filepath.Base(path)))
		require.NoError(t, err)
		assert.True(t, os.SameFile(want, is), path)
	}
}

// TestElsewhere watches a program in a mount namespace, and one below a root of its own. The path of the first one's
// database is that of another database here.
func TestElsewhere(t *testing.T) {
	probetest.RequireRights(t)
	if os.Getuid() != 0 {
		t.Skip("only root makes namespaces and changes roots")
	}
	t.Setenv("TMPDIR", t.TempDir())
	dirs := directories(t, 2)
	outside, inside := dirs[0], dirs[1]
	c := probetest.Config{Library: "pebblev2", Dirs: []string{filepath.Join(outside, "db")}, Keys: 2_000, Workers: 1, Endless: true, Rate: 5000, Cache: 64 << 10}
	probetest.Start(t, "", c)
	require.NoError(t, os.Mkdir(inside, 0o700))
	c.Keys = 20_000

	mounted, rooted := c, c
	mounted.Mount, mounted.MountAt = inside, outside
	root := t.TempDir()
	rooted.Chroot, rooted.Dirs = root, []string{"/db"}
	for database, c := range map[string]probetest.Config{filepath.Join(inside, "db"): mounted, filepath.Join(root, "db"): rooted} {
		p := probetest.Start(t, "", c)
		p.Go(t)
		r, err := Record(t.Context(), p.PID, Run{For: 3 * time.Second}, Advisable{})
		require.NoError(t, err)
		requireOf(t, database, r.Dir)
		assert.Positive(t, r.IOsPerGet)
		copied, err := livecopy.Take(t.Context(), r.Dir)
		require.NoError(t, err)
		requireOf(t, database, copied.Dir)
		require.NoError(t, copied.Close())
		require.NoError(t, r.Close())
	}
}

// TestUnreachable: a database to which no path leads is not taken for another one, and not left out silently.
func TestUnreachable(t *testing.T) {
	w := &Watch{process: &process{pid: 7}}
	assert.NoError(t, w.requireReachable(true))
	w.unreachable = []string{"/data"}
	assert.NoError(t, w.requireReachable(false))
	assert.ErrorContains(t, w.requireReachable(true), "process 7 has files open in /data")
}

func TestWriter(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"Pebble":    {"OPTIONS-000003": "[Version]\n  pebble_version=0.1\n"},
		"goleveldb": {"CURRENT": "MANIFEST-000002\n"},
	} {
		assert.Equal(t, want, directoryWith(t, files).writer())
	}
	for _, files := range []map[string]string{
		{"OPTIONS-000007": "[Version]\n  rocksdb_version=7.8.3\n"},
		{"IDENTITY": "7c3e"},
		{"OPTIONS-000003": ""}, // being written
	} {
		d := directoryWith(t, files)
		assert.Empty(t, d.writer())
		_, err := newDatabase(nil, d, libraries)
		assert.ErrorContains(t, err, "no library of the process is known to write databases as in "+d.path)
	}
}

func directoryWith(t *testing.T, files map[string]string) directory {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return directory{path: dir, here: dir}
}
