package load

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/dataset"
	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
)

// TestMain lets many tests run at a time: they spend it waiting for trees to settle.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// segment is how many keys the tests' loads write between two syncs.
const segment = 1000

// small are options that make a tree of several levels of a few keys.
var small = []string{"memtable_size=64KiB", "target_file_size=32KiB", "lbase_max_bytes=128KiB", "block_size=512"}

func configured(t testing.TB) engine.Config {
	t.Helper()
	cfg, err := pebblev1.Engine.Configure("pebble", small)
	require.NoError(t, err)
	return cfg
}

// newJob is the load of a small dataset into a directory that is not there.
func newJob(t testing.TB, keys uint64, batch, workers int) *Job {
	t.Helper()
	return &Job{
		Engine: pebblev1.Engine, Config: configured(t), Dir: filepath.Join(t.TempDir(), "data", "set"), Workers: workers, segment: segment,
		Manifest: &dataset.Manifest{
			Schema: dataset.Schema, Keys: keys, Keyspace: dataset.KeyspaceStratified, Values: dataset.ValuesRandom, ValueSize: 20,
			Seed: 3, Order: dataset.OrderRandom, Batch: batch, Engine: pebblev1.Engine.Name(),
		},
	}
}

// again is the job that another process would make of what is on disk.
func again(t testing.TB, dir string) *Job {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	return &Job{Engine: pebblev1.Engine, Config: configured(t), Dir: dir, Manifest: m, Workers: 2, segment: segment}
}

// contents reads every key with the library itself.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{ReadOnly: true, Logger: quiet{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	iter, err := db.NewIter(nil)
	require.NoError(t, err)
	defer iter.Close()
	all := map[string]string{}
	for iter.First(); iter.Valid(); iter.Next() {
		if _, twice := all[string(iter.Key())]; twice {
			t.Fatalf("key %x comes twice", iter.Key())
		}
		all[string(iter.Key())] = string(iter.Value())
	}
	require.NoError(t, iter.Error())
	return all
}

// holdWhole holds a dataset against its manifest: every key is there with its
// value, nothing else is, and no key was written twice.
func holdWhole(t testing.TB, dir string) {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	if !m.Complete || m.Progress != nil || m.Finished.IsZero() || m.Created.IsZero() {
		t.Errorf("the manifest is not that of a whole dataset: %+v", m)
	}
	keys, err := m.NewKeyspace()
	require.NoError(t, err)
	values, err := m.NewValues()
	require.NoError(t, err)
	got := contents(t, m.DBDir(dir))
	assert.Equal(t, m.Keys, uint64(len(got)))
	var key [dataset.KeySize]byte
	for i := range m.Keys {
		keys.Key(i, &key)
		value, there := got[string(key[:])]
		if !there || value != string(values.Value(i, nil)) {
			t.Fatalf("key %d: there %v, value %x", i, there, value)
		}
	}
	assert.Equal(t, int64(m.Keys), records(t, m.DBDir(dir)), "records")
}

// records counts what the tables hold; nothing may be left in the log.
func records(t testing.TB, dir string) int64 {
	t.Helper()
	s, err := pebblev1.Engine.OpenStore(context.Background(), dir, configured(t))
	require.NoError(t, err)
	defer s.Close()
	assert.Zero(t, s.Info().WALKeys)
	return s.Shape().Total().Records
}

// copied copies a dataset, so that it can be gone on with in several ways.
func copied(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Fatalf(string, ...any) {}
