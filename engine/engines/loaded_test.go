package engines_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
	"getio/workload/dataset"
)

const keys = 30_000

// loaded is a database that the suite has loaded. Tests that change it work on a copy.
type loaded struct {
	suite
	outsideCache []readpath.Component
	dir          string
	cfg          engine.Config
	keys         dataset.Keyspace
	values       *dataset.Values
}

// load writes all keys in random order and settles the tree.
func (s suite) load(t *testing.T, options []string) *loaded {
	t.Helper()
	cfg, err := s.Engine.Configure("", options)
	require.NoError(t, err)
	l := &loaded{suite: s, dir: filepath.Join(t.TempDir(), "db"), cfg: cfg}
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
	c.dir = enginetest.CopyOf(t, l.dir)
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

func size(t testing.TB, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return fi.Size()
}

// locked checks that a database that another process writes is neither read nor written.
func (l *loaded) locked(t *testing.T) {
	dir := enginetest.CopyOf(t, l.dir)
	defer enginetest.HoldElsewhere(t, dir)()
	enginetest.RequireUnchanged(t, dir, func() {
		_, err := l.Engine.OpenStore(context.Background(), dir, l.cfg)
		enginetest.RequireError(t, "reading a locked database", err, "locked")
		_, err = l.Engine.Resume(dir, l.cfg)
		enginetest.RequireError(t, "loading into a locked database", err, "locked")
		_, err = l.Engine.(engine.Updater).OpenUpdating(dir, l.cfg, engine.OpenConfig{CacheBytes: 1 << 20})
		enginetest.RequireError(t, "updating a locked database", err, "locked")
	})
}
