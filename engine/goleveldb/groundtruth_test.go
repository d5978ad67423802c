package goleveldb

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/syndtr/goleveldb/leveldb"

	"getio/engine"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// grown is a tree with tables in L0, of the last keys, and in several levels below.
type grown struct {
	store engine.Store
	keys  [][]byte
}

func grow(t *testing.T, overrides ...string) *grown {
	t.Helper()
	small := append([]string{
		"block_size=512", "table_size=32KiB", "memtable_size=64KiB", "l1_max_bytes=64KiB", "level_multiplier=4",
	}, overrides...)
	cfg, err := Engine.Configure("", small)
	check(t, err)
	uncompacted, err := Engine.Configure("", append(small, "l0_compaction_trigger=1000", "l0_slowdown_trigger=1000", "l0_pause_trigger=1000"))
	check(t, err)
	dir := filepath.Join(t.TempDir(), "db")
	g := &grown{}
	r := rand.New(rand.NewPCG(7, 7))
	write := func(open func(string, engine.Config) (engine.Loader, error), cfg engine.Config, n int) {
		loader, err := open(dir, cfg)
		check(t, err)
		for range n {
			g.keys = append(g.keys, randomKey(r))
			check(t, loader.Set(g.keys[len(g.keys)-1], bytes.Repeat([]byte{1}, int(r.Uint32()%80))))
		}
		check(t, loader.Settle(context.Background(), nil))
		check(t, loader.Close())
	}
	write(Engine.Create, cfg, 20_000)
	write(Engine.Resume, uncompacted, 5_000)
	g.store, err = Engine.OpenStore(context.Background(), dir, cfg)
	check(t, err)
	t.Cleanup(func() { check(t, g.store.Close()) })
	return g
}

func randomKey(r *rand.Rand) []byte {
	key := make([]byte, 16)
	for i := range key {
		key[i] = byte(r.Uint32())
	}
	return key
}

func (g *grown) open(t *testing.T, o engine.OpenConfig) *db {
	t.Helper()
	d, err := g.store.Open(o)
	check(t, err)
	t.Cleanup(func() { check(t, d.Close()) })
	return d.(*db)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holders are the tables that may hold the key, in the order in which a Get visits
// them: of L0 all, the newest first, then one per level (goleveldb:
// leveldb/version.go, walkOverlapping). Sublevels of L0 count from the oldest.
func holders(shape *lsm.Shape, key []byte) (files []uint64, l0 int) {
	for _, level := range shape.Levels {
		list := level.TableList
		for i := range list {
			table := list[i]
			if level.Level == 0 {
				table = list[len(list)-1-i]
			}
			if bytes.Compare(table.Smallest, key) <= 0 && bytes.Compare(key, table.Largest) <= 0 {
				files = append(files, table.File)
			}
		}
		if level.Level == 0 {
			l0 = len(files)
		}
	}
	return files, l0
}

// visited is what one Get reads with a cache that keeps nothing: the tables by
// their indexes, and of which of them data.
type visited struct {
	tables []uint64
	data   map[uint64]int
}

// TestGetsVisitWhatTheTreeSays asks for existing and absent keys one at a time,
// without a cache. Every access that the library's caches were asked for is a read at
// a file; the tables read are those that the shape says may hold the key, up to and
// including the first level that does.
func TestGetsVisitWhatTheTreeSays(t *testing.T) {
	for name, overrides := range map[string][]string{"filters": nil, "no filters": {"bloom_bits=0"}} {
		t.Run(name, func(t *testing.T) {
			g := grow(t, overrides...)
			shape := g.store.Shape()
			if len(shape.Levels) < 3 || shape.Levels[0].Level != 0 {
				t.Fatalf("the tree has %d levels from L%d on", len(shape.Levels), shape.Levels[0].Level)
			}
			var now visited
			d := g.open(t, engine.OpenConfig{Trace: func(r engine.TableRead) {
				switch r.Component {
				case readpath.TopIndex:
					now.tables = append(now.tables, r.File)
				case readpath.Data:
					now.data[r.File]++
				}
			}})
			r := rand.New(rand.NewPCG(8, 8))
			for i := range 3000 {
				key := g.keys[r.IntN(len(g.keys))]
				if i%3 == 0 {
					key = randomKey(r)
				}
				now = visited{data: map[uint64]int{}}
				before := d.Counts()
				_, found, err := d.Get(key, nil)
				check(t, err)
				if found != (i%3 != 0) {
					t.Fatalf("Get %d: found %v", i, found)
				}
				run := d.Counts().Sub(before)
				requireVisits(t, shape, key, found, now, run)
			}
		})
	}
}

func requireVisits(t *testing.T, shape *lsm.Shape, key []byte, found bool, now visited, run engine.Counts) {
	t.Helper()
	files, l0 := holders(shape, key)
	// Only the last one visited, or one of L0, can have had the key.
	n := len(now.tables)
	if n > len(files) || n < min(l0, len(files)) || !found && n != len(files) {
		t.Fatalf("key %x: %d tables visited of %v, %d of them in L0", key, n, files, l0)
	}
	for i, file := range now.tables {
		if file != files[i] {
			t.Fatalf("key %x: tables %v visited, of %v", key, now.tables, files)
		}
	}
	if last := n - 1; found && n > l0 && now.data[now.tables[last]] == 0 {
		t.Fatalf("key %x: no data of table %d was read", key, now.tables[last])
	}
	a, reads := run.Accesses.Count, run.Reads.Count
	if a != reads || a[readpath.TopIndex] != int64(n) || run.BlockCacheHits != 0 {
		t.Fatalf("key %x: %v accesses, %v reads, %d tables visited", key, a, reads, n)
	}
	if run.Accesses.Probed != int64(len(now.data)) || run.TableCacheHits+run.TableCacheMisses != int64(n) {
		t.Fatalf("key %x: %d tables probed, data read of %d", key, run.Accesses.Probed, len(now.data))
	}
	for _, c := range checkCounts(run) {
		if !c.OK {
			t.Fatalf("key %x: %s: %s", key, c.Name, c.Detail)
		}
	}
}

// Gets that miss a block at the same time share one read: all of them but one count
// as hits, so that misses are reads whatever the concurrency.
func TestMissesAreReadsOfConcurrentGets(t *testing.T) {
	g := grow(t)
	d := g.open(t, engine.OpenConfig{CacheBytes: 64 << 10})
	before := d.Counts()
	var all sync.WaitGroup
	for worker := range uint64(8) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(worker/4, 9)) // four each ask for the same keys
			for range 3000 {
				if _, found, err := d.Get(g.keys[r.IntN(len(g.keys))], nil); err != nil || !found {
					t.Errorf("found %v, error %v", found, err)
					return
				}
			}
		})
	}
	all.Wait()
	run := d.Counts().Sub(before)
	for _, c := range d.Check(run) {
		if !c.OK {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	if run.BlockCacheMisses != run.Reads.Count.Sum()-run.Reads.Count[readpath.TableOpen] || run.BlockCacheHits <= 0 {
		t.Errorf("%d hits, %d misses, reads %v", run.BlockCacheHits, run.BlockCacheMisses, run.Reads.Count)
	}
}

// Tables beyond those that may be open are opened anew, and read their footers.
func TestTablesThatAreOpenedAnewAreCounted(t *testing.T) {
	g := grow(t)
	d := g.open(t, engine.OpenConfig{CacheBytes: 64 << 20, MaxOpenFiles: 3})
	before := d.Counts()
	for _, key := range g.keys[:2000] {
		_, _, err := d.Get(key, nil)
		check(t, err)
	}
	run := d.Counts().Sub(before)
	for _, c := range d.Check(run) {
		if !c.OK {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	if run.TableCacheMisses < 1000 || run.Reads.Count[readpath.TableOpen] != 2*run.TableCacheMisses {
		t.Errorf("%d tables opened, %d reads for it", run.TableCacheMisses, run.Reads.Count[readpath.TableOpen])
	}
	var stats leveldb.DBStats
	check(t, d.level.Stats(&stats))
	if stats.OpenedTablesCount > 4 {
		t.Errorf("%d tables are open", stats.OpenedTablesCount)
	}
}
