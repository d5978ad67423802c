package load

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load/growth"
	"getio/load/treewriter"
	"getio/workload/dataset"
)

// getsEnv names the environment variable with the number of Gets that TestGetsOfBuiltDatasets
// makes on each dataset; the default is small. Datasets have four times as many keys.
const getsEnv = "GETIO_GETS"

// TestGetsOfBuiltDatasets makes random Gets on shaped and virtual datasets: existing keys have
// the dataset's values, absent keys are not found, and the run's counts are consistent.
func TestGetsOfBuiltDatasets(t *testing.T) {
	gets := uint64(10_000)
	if testing.Short() {
		gets = 200
	}
	text := os.Getenv(getsEnv)
	if text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		require.NoError(t, err)
		gets = n
	}
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		for _, how := range []string{dataset.BuildShaped, dataset.BuildVirtual} {
			for _, values := range []string{dataset.ValuesPool32, dataset.ValuesRandom} {
				t.Run(e.Name()+"/"+how+"/"+values, func(t *testing.T) {
					if text == "" {
						t.Parallel() // mostly waits for the disk
					}
					dir := filepath.Join(t.TempDir(), "dataset")
					job := buildJob(t, e, dir, how, values, 4*gets)
					require.NoError(t, job.New(context.Background()))
					holdGets(t, e, dir, job.Manifest, gets)
				})
			}
		}
	}
}

// buildJob returns a load of a dataset whose tables are so small that several levels have some.
func buildJob(t *testing.T, e engine.Engine, dir, how, values string, keys uint64) *Job {
	t.Helper()
	cfg, err := e.Configure("", nil)
	require.NoError(t, err)
	o := growth.BenchKVDB()
	o.Seed = keys
	o.MemTableSize = int64(keys)
	o.LBaseMaxBytes = 4 * int64(keys)
	for level := range o.TargetFileSize {
		o.TargetFileSize[level] = int64(keys) << min(level, 4)
	}
	shape, err := growth.Shape(keys, o)
	require.NoError(t, err)
	tree, err := treewriter.Tree(shape, e.(engine.Builder).FirstTable())
	require.NoError(t, err)
	m := &dataset.Manifest{
		Schema: dataset.Schema, Keyspace: dataset.KeyspaceStratified, Values: values, ValueSize: 110, Seed: 5,
		Order: dataset.OrderSequential, Build: how, Engine: e.Name(), Preset: cfg.Preset(), Options: cfg.Effective(),
	}
	m.SetTree(tree)
	return &Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: 2}
}

// holdGets makes the Gets through a small cache; every tenth Get is for an absent key.
func holdGets(t *testing.T, e engine.Engine, dir string, m *dataset.Manifest, gets uint64) {
	t.Helper()
	cfg, err := e.Configure("", nil)
	require.NoError(t, err)
	store, err := e.OpenStore(context.Background(), m.DBDir(dir), cfg)
	require.NoError(t, err)
	defer store.Close()
	assert.GreaterOrEqual(t, len(store.Shape().Levels), 3)
	db, err := store.Open(engine.OpenConfig{CacheBytes: 4 << 20})
	require.NoError(t, err)
	defer db.Close()
	before := db.Counts()
	group, ctx := errgroup.WithContext(context.Background())
	const workers = 4
	for w := range uint64(workers) {
		group.Go(func() error { return getAll(ctx, db, m, w, gets, workers) })
	}
	require.NoError(t, group.Wait())
	run := db.Counts().Sub(before)
	for _, c := range db.Check(run) {
		assert.True(t, c.OK, "%s: %s", c.Name, c.Detail)
	}
	t.Logf("%d Gets of %d keys in %d tables, %d reads", gets, m.Keys, len(m.Tree().Tables), run.Reads.Count.Sum())
}

// getAll makes every step-th Get of those numbered from up to, but excluding, to.
func getAll(ctx context.Context, db engine.DB, m *dataset.Manifest, from, to, step uint64) error {
	keys, err := m.NewKeyspace()
	if err != nil {
		return err
	}
	values, err := m.NewValues()
	if err != nil {
		return err
	}
	var key [dataset.KeySize]byte
	var got, want []byte
	for g := from; g < to && ctx.Err() == nil; g += step {
		absent := g%10 == 9
		i := dataset.Bounded(dataset.Draw(1, g), m.Keys)
		if absent {
			keys.Absent(g, &key)
		} else {
			keys.Key(i, &key)
			want = values.Value(i, want)
		}
		var found bool
		if got, found, err = db.Get(key[:], got); err != nil {
			return fmt.Errorf("Get %d of %x: %w", g, key, err)
		}
		if found == absent || found && !bytes.Equal(got, want) {
			return fmt.Errorf("Get %d of %x: found %v with %x, want %v with %x", g, key, found, got, !absent, want)
		}
	}
	return nil
}
