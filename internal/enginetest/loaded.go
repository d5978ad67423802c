package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/engine"
	"getio/engine/readpath"
	"getio/workload/dataset"
)

const keys = 30_000

// loaded is a database that the suite has loaded. Tests that change it work on a copy.
type loaded struct {
	Suite
	outsideCache []readpath.Component
	dir          string
	cfg          engine.Config
	keys         dataset.Keyspace
	values       dataset.Values
}

// load writes all keys in random order and settles the tree.
func (s Suite) load(t *testing.T, options []string) *loaded {
	t.Helper()
	cfg, err := s.Engine.Configure("", options)
	require.NoError(t, err)
	l := &loaded{Suite: s, dir: filepath.Join(t.TempDir(), "db"), cfg: cfg}
	l.keys, err = dataset.NewKeyspace(dataset.KeyspaceKeccak, keys, 0)
	require.NoError(t, err)
	l.values, err = dataset.NewValues(dataset.ValuesRandom, 50, 1)
	require.NoError(t, err)
	loader, err := s.Engine.Create(l.dir, cfg)
	require.NoError(t, err)
	l.write(t, loader, 0, keys)
	require.NoError(t, loader.Settle(context.Background(), nil))
	assert.NotEmpty(t, loader.State(), "State describes nothing")
	require.NoError(t, loader.Close())
	return l
}

func (l *loaded) write(t *testing.T, loader engine.Loader, from, to uint64) {
	t.Helper()
	batch := loader.NewBatch()
	for i := from; i < to; i++ {
		require.NoError(t, batch.Set(l.key(i), l.values.Value(i, nil)))
		if i%500 == 499 {
			require.NoError(t, batch.Commit())
		}
	}
	require.NoError(t, batch.Commit())
	require.NoError(t, batch.Close())
	require.NoError(t, loader.Sync())
}

// key returns key i.
func (l *loaded) key(i uint64) []byte {
	var key [dataset.KeySize]byte
	l.keys.Key(i, &key)
	return key[:]
}

// absentKey returns a key that the database does not hold.
func (l *loaded) absentKey(i uint64) []byte {
	var key [dataset.KeySize]byte
	l.keys.Absent(i, &key)
	return key[:]
}

// copied returns the same database in a directory of its own.
func (l *loaded) copied(t *testing.T) *loaded {
	t.Helper()
	c := *l
	c.dir = copyOf(t, l.dir)
	return &c
}

func (l *loaded) store(t *testing.T) engine.Store {
	t.Helper()
	s, err := l.Engine.OpenStore(context.Background(), l.dir, l.cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func (l *loaded) open(t *testing.T, o engine.OpenConfig) engine.DB {
	t.Helper()
	db, err := l.store(t).Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// requireEvery requires the value of every n-th key.
func (l *loaded) requireEvery(t *testing.T, db engine.DB, n uint64) {
	t.Helper()
	var value []byte
	for i := uint64(0); i < keys; i += n {
		var found bool
		var err error
		value, found, err = db.Get(l.key(i), value)
		require.NoError(t, err)
		if !found || !l.values.Check(i, value) {
			t.Fatalf("key %d: found %v, value %x", i, found, value)
		}
	}
}

func requireAbsent(t *testing.T, db engine.DB, key []byte) {
	t.Helper()
	if _, found, err := db.Get(key, nil); err != nil || found {
		t.Fatalf("absent key %x: found %v, error %v", key, found, err)
	}
}

// read looks n keys up that the seed draws; every tenth of them is absent.
func (l *loaded) read(t *testing.T, db engine.DB, n, seed uint64) {
	t.Helper()
	for g := range n {
		draw := dataset.Draw(seed, g)
		if g%10 == 0 {
			requireAbsent(t, db, l.absentKey(draw))
		} else if _, found, err := db.Get(l.key(dataset.Bounded(draw, keys)), nil); err != nil || !found {
			t.Fatalf("Get %d: found %v, error %v", g, found, err)
		}
	}
}

// Measured runs operate and returns what db counted of it. The self-checks must hold.
func Measured(t *testing.T, db engine.DB, operate func()) engine.Counts {
	t.Helper()
	before := db.Counts()
	operate()
	run := db.Counts().Sub(before)
	Holds(t, db.Check(run))
	return run
}

// Holds requires self-checks that all hold.
func Holds(t *testing.T, checks []readpath.Check) {
	t.Helper()
	assert.NotZero(t, len(checks), "the run was not checked")
	for _, c := range checks {
		assert.True(t, c.OK, "check %s: %s", c.Name, c.Detail)
	}
}

// Fingerprint lists every file below dir with its mode, size, time of change and inode.
func Fingerprint(t testing.TB, dir string) string {
	t.Helper()
	return list(t, dir, func(_ string, fi fs.FileInfo) string {
		return fmt.Sprint(fi.ModTime().UnixNano(), " ", fi.Sys().(*syscall.Stat_t).Ino)
	})
}

// RequireUnchanged runs operate, which must change nothing in dir.
func RequireUnchanged(t testing.TB, dir string, operate func()) {
	t.Helper()
	before := Fingerprint(t, dir)
	operate()
	assert.Equal(t, before, Fingerprint(t, dir))
}

// list lists every file below dir with its mode, its size and what describe returns.
func list(t testing.TB, dir string, describe func(path string, fi fs.FileInfo) string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		size := fi.Size()
		if d.IsDir() {
			size = 0 // it depends on the file system
		}
		fmt.Fprintln(&out, path, fi.Mode(), size, describe(path, fi))
		return nil
	}))
	return out.String()
}

// requireError requires an error of one line that contains a text.
func requireError(t testing.TB, what string, err error, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: no error", what)
	case !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n"):
		t.Errorf("%s: %v", what, err)
	}
}

func copyOf(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return fi.Size()
}

// InMemory has the temporary directories of a test binary lie in memory, where syncing a
// file costs nothing, if there is enough room. Call it from TestMain.
func InMemory() {
	const dir, room = "/dev/shm", 2 << 30
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) == nil && s.Bavail*uint64(s.Bsize) >= room && unix.Access(dir, unix.W_OK) == nil {
		os.Setenv("TMPDIR", dir)
	}
}
