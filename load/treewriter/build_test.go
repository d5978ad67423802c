package treewriter_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/load/growth"
	"getio/load/treewriter"
	"getio/workload/dataset"
)

// treeOf returns a small tree of several levels.
func treeOf(t testing.TB, e engine.Builder, keys uint64) *dataset.Tree {
	t.Helper()
	o := growth.BenchKVDB()
	o.LBaseMaxBytes, o.MemTableSize = 1<<20, 1<<20
	for i := range o.TargetFileSize {
		o.TargetFileSize[i] = 256 << 10 << i
	}
	o.Seed = 3
	shape, err := growth.Shape(keys, o)
	require.NoError(t, err)
	tree, err := treewriter.Tree(shape, e.FirstTable())
	require.NoError(t, err)
	return tree
}

// place creates a dataset's directory with its tree and manifest, and returns the job to build it.
func place(t testing.TB, e engine.Builder, cfg engine.Config, tree *dataset.Tree, values string, size int) *treewriter.Job {
	t.Helper()
	dir := t.TempDir()
	v, err := dataset.NewValues(values, size, 9)
	require.NoError(t, err)
	require.NoError(t, tree.Write(dir))
	m := &dataset.Manifest{
		Keys: tree.Keys(), Keyspace: dataset.KeyspaceStratified, Values: values, ValueSize: size, Seed: 9,
		Order: dataset.OrderRandom, Engine: e.Name(), Preset: cfg.Preset(), Options: cfg.Effective(), Build: dataset.BuildVirtual, Complete: true,
	}
	require.NoError(t, m.Write(dir))
	return &treewriter.Job{
		Engine: e, Config: cfg, Dataset: dir, DB: filepath.Join(dir, "db"), Tree: tree, Values: v, Seed: 9,
		Workers: 2, Checkpoint: func(int) error { return nil },
	}
}

var builders = []engine.Builder{pebblev1.Engine.(engine.Builder), pebblev2.Engine.(engine.Builder)}

// Every table of a built tree equals what the library writes: real files completely, virtual
// ones as readers see them.
func TestTablesAreTheLibrarys(t *testing.T) {
	for _, e := range builders {
		for _, virtual := range []bool{false, true} {
			for _, c := range []struct {
				preset, values string
				size           int
				options        []string
			}{
				{e.Presets()[0], dataset.ValuesPool32, 110, []string{"format=13"}},
				{e.Presets()[0], dataset.ValuesRandom, 110, []string{"format=13"}},
				{e.Presets()[0], dataset.ValuesAccounts, 110, []string{"format=13"}},
				{e.Presets()[1], dataset.ValuesPool32, 33, []string{"format=13", "block_size=2KiB", "index_block_size=1KiB", "block_restart_interval=5"}},
				{e.Presets()[0], dataset.ValuesRandom, 20, []string{"format=13", "compression=none"}},
			} {
				name := fmt.Sprintf("%s/virtual=%v/%s/%s/%d", e.Name(), virtual, c.preset, c.values, c.size)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					cfg, err := e.Configure(c.preset, c.options)
					require.NoError(t, err)
					job := place(t, e, cfg, treeOf(t, e, 60_000), c.values, c.size)
					job.Virtual = virtual
					require.NoError(t, job.Run(context.Background()))
					for i := range job.Tree.Tables {
						require.NoError(t, job.Prove(i))
					}
				})
			}
		}
	}
}

// More than 20,000 virtual data blocks of all levels, generated on reading, equal the library's.
func TestManyVirtualBlocks(t *testing.T) {
	for _, e := range builders {
		for _, values := range []string{dataset.ValuesPool32, dataset.ValuesRandom} {
			t.Run(e.Name()+"/"+values, func(t *testing.T) {
				cfg, err := e.Configure("", []string{"format=13"})
				require.NoError(t, err)
				job := place(t, e, cfg, treeOf(t, e, 600_000), values, 110)
				job.Virtual = true
				require.NoError(t, job.Run(context.Background()))
				for i := range job.Tree.Tables {
					require.NoError(t, job.Prove(i))
				}
				store, err := e.OpenStore(context.Background(), job.DB, cfg)
				require.NoError(t, err)
				defer store.Close()
				total := store.Shape().Total()
				if total.DataBlocks < 20_000 || len(store.Shape().Levels) < 3 {
					t.Errorf("%d blocks of %d levels were compared", total.DataBlocks, len(store.Shape().Levels))
				}
			})
		}
	}
}

// A single wrong byte is detected.
func TestDamagedTableIsNotProven(t *testing.T) {
	e := builders[0]
	cfg, err := e.Configure("", nil)
	require.NoError(t, err)
	job := place(t, e, cfg, treeOf(t, e, 20_000), dataset.ValuesPool32, 110)
	require.NoError(t, job.Run(context.Background()))
	path := e.TablePath(job.DB, job.Tree.Tables[0].File)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, at := range []int{0, len(b) / 2, len(b) - 1} {
		damaged := bytes.Clone(b)
		damaged[at] ^= 1
		require.NoError(t, os.WriteFile(path, damaged, 0o644))
		assert.Error(t, job.Prove(0), "the change of byte %d was not detected", at)
	}
	require.NoError(t, os.WriteFile(path, b[:len(b)-1], 0o644))
	assert.Error(t, job.Prove(0), "truncation was not detected")
}

// Both unmodified libraries read every key of a built tree with its value.
func TestBuiltTreeIsRead(t *testing.T) {
	for _, e := range builders {
		for _, virtual := range []bool{false, true} {
			for _, values := range []string{dataset.ValuesPool32, dataset.ValuesRandom} {
				t.Run(fmt.Sprintf("%s/virtual=%v/%s", e.Name(), virtual, values), func(t *testing.T) {
					t.Parallel()
					cfg, err := e.Configure("", []string{"format=13"})
					require.NoError(t, err)
					job := place(t, e, cfg, treeOf(t, e, 60_000), values, 110)
					job.Virtual = virtual
					require.NoError(t, job.Run(context.Background()))
					for _, reader := range builders {
						readAll(t, reader, job)
					}
				})
			}
		}
	}
}

// readAll reads every key of a tree with the given library. Both libraries read format 13.
func readAll(t *testing.T, reader engine.Engine, job *treewriter.Job) {
	t.Helper()
	cfg, err := reader.Configure("", nil)
	require.NoError(t, err)
	store, err := reader.OpenStore(context.Background(), job.DB, cfg)
	require.NoError(t, err)
	defer store.Close()
	for _, level := range store.Shape().Levels {
		n := int64(0)
		for _, table := range job.Tree.Tables {
			if table.Level == level.Level {
				n++
			}
		}
		assert.Equal(t, n, level.Tables, "tables of L%d", level.Level)
	}
	db, err := store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	defer db.Close()
	keys := job.Tree.NewKeyspace(job.Seed)
	var key [dataset.KeySize]byte
	var value []byte
	for i := range keys.Len() {
		keys.Key(i, &key)
		var found bool
		if value, found, err = db.Get(key[:], value); err != nil || !found || !job.Values.Check(i, value) {
			t.Fatalf("key %d (%x): found %v, value %x, %v", i, key, found, value, err)
		}
	}
}
