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

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	"getio/workload/dataset"
)

// TestMain runs many tests in parallel: most of their time is spent waiting for trees to settle.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// segment is the number of keys that loads in tests write between two syncs.
const segment = 1000

// small holds options under which a few keys make a tree of several levels.
var small = []string{"memtable_size=64KiB", "target_file_size=32KiB", "lbase_max_bytes=128KiB", "block_size=512"}

func configured(t testing.TB) engine.Config {
	t.Helper()
	cfg, err := pebblev1.Engine.Configure("pebble", small)
	require.NoError(t, err)
	return cfg
}

// newJob returns a load of a small dataset into a directory that does not exist.
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

// again returns the job that another process would create from the manifest on disk.
func again(t testing.TB, dir string) *Job {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	return &Job{Engine: pebblev1.Engine, Config: configured(t), Dir: dir, Manifest: m, Workers: 2, segment: segment}
}

// contents reads every key and value through the library itself.
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
			t.Fatalf("duplicate key %x", iter.Key())
		}
		all[string(iter.Key())] = string(iter.Value())
	}
	require.NoError(t, iter.Error())
	return all
}

// holdWhole checks a dataset against its manifest: every key has its value, there are no
// other keys, and no key was written twice.
func holdWhole(t testing.TB, dir string) {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	if !m.Complete || m.Progress != nil || m.Finished.IsZero() || m.Created.IsZero() {
		t.Errorf("manifest does not describe a complete dataset: %+v", m)
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
			t.Fatalf("key %d: found %v, value %x", i, there, value)
		}
	}
	assert.Equal(t, int64(m.Keys), records(t, m.DBDir(dir)), "records")
}

// records returns the number of records in the tables; the log must be empty.
func records(t testing.TB, dir string) int64 {
	t.Helper()
	s, err := pebblev1.Engine.OpenStore(context.Background(), dir, configured(t))
	require.NoError(t, err)
	defer s.Close()
	assert.Zero(t, s.Info().WALKeys)
	return s.Shape().Total().Records
}

// copied copies a dataset, so that it can be resumed in several ways.
func copied(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Fatalf(string, ...any) {}
