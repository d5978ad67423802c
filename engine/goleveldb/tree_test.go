package goleveldb

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
)

// TestTree tests one tree, which no test changes.
func TestTree(t *testing.T) {
	tree := grow(t)
	for name, test := range map[string]func(*testing.T, *enginetest.Tree){
		"denies every write":                 deniesEveryWrite,
		"locks out writers":                  locksOutWriters,
		"cache charges buffers":              cacheChargesBuffers,
		"concurrent misses are reads":        concurrentMissesAreReads,
		"reopened tables are counted":        reopenedTablesAreCounted,
		"traced accesses read filters once":  tracedAccessesReadFiltersOnce,
		"Gets visit the tables of the shape": func(t *testing.T, tree *enginetest.Tree) { tree.RequireVisits(t, true) },
	} {
		t.Run(name, func(t *testing.T) { test(t, tree) })
	}
}

func TestGetsWithoutFiltersVisitTheTablesOfTheShape(t *testing.T) {
	t.Parallel()
	grow(t, "bloom_bits=0").RequireVisits(t, true)
}

// grow returns a tree with several levels.
func grow(t *testing.T, overrides ...string) *enginetest.Tree {
	t.Helper()
	return enginetest.Grow(t, Engine, append([]string{
		"block_size=512", "table_size=32KiB", "memtable_size=64KiB", "l1_max_bytes=64KiB", "level_multiplier=4",
	}, overrides...), []string{"l0_compaction_trigger=1000", "l0_slowdown_trigger=1000", "l0_pause_trigger=1000"})
}

func open(t *testing.T, tree *enginetest.Tree, o engine.OpenConfig) *db {
	t.Helper()
	d, err := tree.Store(t).Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d.(*db)
}

// Gets that miss a block at the same time share one read: all but one of them count as
// hits, so that misses are reads at any concurrency.
func concurrentMissesAreReads(t *testing.T, tree *enginetest.Tree) {
	d := open(t, tree, engine.OpenConfig{CacheBytes: 64 << 10})
	run := enginetest.Measured(t, d, func() {
		var all sync.WaitGroup
		for worker := range uint64(8) {
			all.Go(func() {
				r := rand.New(rand.NewPCG(worker/4, 9)) // four workers look the same keys up
				for range 3000 {
					if _, found, err := d.Get(tree.Key(r, true), nil); err != nil || !found {
						t.Errorf("found %v, error %v", found, err)
						return
					}
				}
			})
		}
		all.Wait()
	})
	if run.BlockCacheMisses != run.Reads.Count.Sum()-run.Reads.Count[readpath.TableOpen] || run.BlockCacheHits <= 0 {
		t.Errorf("%d hits, %d misses, reads %v", run.BlockCacheHits, run.BlockCacheMisses, run.Reads.Count)
	}
}

// While accesses are traced, the filter and the index of a table are read once, and each data block each time.
func tracedAccessesReadFiltersOnce(t *testing.T, tree *enginetest.Tree) {
	traced := map[readpath.Component]int64{}
	d := open(t, tree, engine.OpenConfig{TraceAccesses: true, Trace: func(r engine.TableRead) { traced[r.Component]++ }})
	run := enginetest.Measured(t, d, func() {
		for _, key := range tree.Keys[:2000] {
			_, _, err := d.Get(key, nil)
			require.NoError(t, err)
		}
	})
	tables := tree.Store(t).Shape().Total().Tables
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex} {
		assert.LessOrEqual(t, run.Reads.Count[c], tables, c)
		assert.Greater(t, traced[c], int64(2000), c)
		assert.Equal(t, run.Accesses.Count[c], traced[c], c)
	}
	assert.Equal(t, run.Accesses.Count[readpath.Data], run.Reads.Count[readpath.Data])
}

// Tables beyond max_open_files are opened again and again, and each open reads a footer.
func reopenedTablesAreCounted(t *testing.T, tree *enginetest.Tree) {
	d := open(t, tree, engine.OpenConfig{CacheBytes: 64 << 20, MaxOpenFiles: 3})
	run := enginetest.Measured(t, d, func() {
		for _, key := range tree.Keys[:2000] {
			_, _, err := d.Get(key, nil)
			require.NoError(t, err)
		}
	})
	if run.TableCacheMisses < 1000 || run.Reads.Count[readpath.TableOpen] != 2*run.TableCacheMisses {
		t.Errorf("%d tables opened, %d reads for it", run.TableCacheMisses, run.Reads.Count[readpath.TableOpen])
	}
	var stats leveldb.DBStats
	require.NoError(t, d.level.Stats(&stats))
	assert.LessOrEqual(t, stats.OpenedTablesCount, 4)
}
