//go:build rocksdb

package rocksdb

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"getio/engine"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// TruthPath is where the program lies that uses RocksDB as it is, if it was built; it is
// removed when all tests are done.
var TruthPath = filepath.Join(os.TempDir(), fmt.Sprintf("getio-truth-%d", os.Getpid()))

// truth builds it.
var truth = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("c++", "-std=c++17", "-o", TruthPath, "testdata/truth.cc", "-lrocksdb").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return TruthPath, nil
})

// askTruth runs it.
func askTruth(t *testing.T, in string, args ...string) string {
	t.Helper()
	path, err := truth()
	check(t, err)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(in), os.Stderr
	out, err := cmd.Output()
	check(t, err)
	return string(out)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var small = []string{
	"block_size=512", "metadata_block_size=512", "write_buffer_size=64KiB", "target_file_size_base=32KiB", "target_file_size_multiplier=1",
	"max_bytes_for_level_base=64KiB", "max_bytes_for_level_multiplier=4",
}

// grown is a tree with tables in L0, of the last keys, and in several levels below.
type grown struct {
	dir   string
	cfg   engine.Config
	store engine.Store
	keys  [][]byte
}

func grow(t *testing.T, overrides ...string) *grown {
	t.Helper()
	options := append(append([]string{}, small...), overrides...)
	cfg, err := Engine.Configure("", options)
	check(t, err)
	uncompacted, err := Engine.Configure("", append(options, "level0_stop_writes_trigger=1000", "level0_slowdown_writes_trigger=1000", "level0_file_num_compaction_trigger=1000", "max_bytes_for_level_base=64MiB"))
	check(t, err)
	g := &grown{dir: filepath.Join(t.TempDir(), "db"), cfg: cfg}
	r := rand.New(rand.NewPCG(7, 7))
	write := func(open func(string, engine.Config) (engine.Loader, error), cfg engine.Config, n int) {
		loader, err := open(g.dir, cfg)
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
	g.store, err = Engine.OpenStore(context.Background(), g.dir, cfg)
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

// trees are what the ground truth is told of.
var trees = map[string][]string{
	"divided":             nil,
	"divided, held":       {"cache_index_and_filter_blocks=false"},
	"whole":               {"index_type=binary", "partition_filters=false"},
	"whole, held":         {"index_type=binary", "partition_filters=false", "cache_index_and_filter_blocks=false"},
	"divided, no filters": {"bloom_bits=0", "partition_filters=false"},
}

func TestTreesAreReadAsRocksDBReadsThem(t *testing.T) {
	for name, overrides := range trees {
		t.Run(name, func(t *testing.T) {
			g := grow(t, overrides...)
			held := strings.Contains(name, "held")
			t.Run("counts", func(t *testing.T) { g.countsAreRocksDBsOwn(t, held) })
			if !held {
				t.Run("visits", g.getsVisitWhatTheTreeSays)
			}
		})
	}
}

// countsAreRocksDBsOwn: the same Gets, made through RocksDB with nothing around it, hit and
// miss the same blocks of the same cache, and make as many calls of the kernel as reads
// are counted.
func (g *grown) countsAreRocksDBsOwn(t *testing.T, held bool) {
	for _, files := range []int{1000, 30} {
		for _, cache := range []int64{0, 256 << 10, 64 << 20} {
			g.compare(t, cache, files, held)
		}
	}
}

func (g *grown) compare(t *testing.T, cache int64, files int, held bool) {
	t.Helper()
	var in strings.Builder
	var keys [][]byte
	r := rand.New(rand.NewPCG(8, 8))
	for i := range 1200 {
		key := g.keys[r.IntN(len(g.keys))]
		if i%3 == 0 {
			key = randomKey(r)
		}
		keys = append(keys, key)
		fmt.Fprintln(&in, strings.ToUpper(hex.EncodeToString(key)))
	}
	sizes, ahead := g.sizes(), int64(0) // reads of several blocks
	d := g.open(t, engine.OpenConfig{CacheBytes: cache, MaxOpenFiles: files, Trace: func(r engine.TableRead) {
		const page = 4096
		if end := r.Offset + int64(r.Length); r.Offset%page == 0 && (end%page == 0 || end == sizes[r.File]) {
			ahead++
		}
	}})
	for _, key := range keys { // a first round opens the tables
		_, _, err := d.Get(key, nil)
		check(t, err)
	}
	before, raw := d.Counts(), d.raw()
	found := 0
	ahead = 0
	for _, key := range keys {
		_, there, err := d.Get(key, nil)
		check(t, err)
		if there {
			found++
		}
	}
	run, now := d.Counts().Sub(before), d.raw()
	for _, c := range d.Check(run) {
		if !c.OK {
			t.Errorf("cache %d, %d files: %s: %s", cache, files, c.Name, c.Detail)
		}
	}
	holding := "cached"
	if held {
		holding = "held"
	}
	out := askTruth(t, in.String(), "gets", g.dir, fmt.Sprint(cache), holding, fmt.Sprint(files))
	var want [9]int64
	for i, word := range strings.Fields(out)[:len(want)] {
		_, err := fmt.Sscan(word, &want[i])
		check(t, err)
	}
	reads := run.Reads.Count.Sum()
	got := [9]int64{
		int64(found),
		int64(now.filter_misses - raw.filter_misses), int64(now.filter_hits - raw.filter_hits),
		int64(now.index_misses - raw.index_misses), int64(now.index_hits - raw.index_hits),
		int64(now.data_misses - raw.data_misses), int64(now.data_hits - raw.data_hits),
		reads - run.Reads.Footers - ahead, reads,
	}
	// What is read ahead may reach behind the file's end, which takes a call to find out.
	within := [9]int64{8: ahead}
	// RocksDB counts lookups that open tables as those of Gets.
	if run.TableCacheMisses > 0 {
		copy(want[1:5], got[1:5])
	}
	for i, w := range want {
		// What the allocator makes of a block's size differs a little from process to
		// process, and so does what a cache that is too small holds: a block of one kind
		// more is one of another less, however few of the kind are read.
		if cache > 0 && cache < 1<<20 {
			within[i] += 2 + max(w, reads)/100
		}
		if d := w - got[i]; max(d, -d) > within[i] {
			t.Errorf("cache %d, %d files: found, filter, index and data misses and hits, blocks and reads: %v, RocksDB as it is %v", cache, files, got, want)
			return
		}
	}
}

// sizes are those of the tables' files.
func (g *grown) sizes() map[uint64]int64 {
	sizes := map[uint64]int64{}
	for _, level := range g.store.Shape().Levels {
		for _, table := range level.TableList {
			sizes[table.File] = table.Bytes
		}
	}
	return sizes
}

// holders are the tables that may hold the key, in the order in which a Get visits
// them: of L0 all, the newest first, then one per level. Sublevels of L0 count from
// the oldest.
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

// visited is what one Get reads of one table with a cache that keeps nothing.
type visited struct {
	file  uint64
	reads [readpath.NumComponents]int
}

// getsVisitWhatTheTreeSays makes Gets for existing and absent keys one at a time, without
// a cache. Every access is a read at a file; the tables read are those that the shape
// says may hold the key, in their order; of each, the filter, and if it does not rule the
// key out, one top index, and index and data blocks.
func (g *grown) getsVisitWhatTheTreeSays(t *testing.T) {
	shape := g.store.Shape()
	if len(shape.Levels) < 3 || shape.Levels[0].Level != 0 {
		t.Fatalf("the tree has %d levels from L%d on", len(shape.Levels), shape.Levels[0].Level)
	}
	var now []visited
	d := g.open(t, engine.OpenConfig{Trace: func(r engine.TableRead) {
		if len(now) == 0 || now[len(now)-1].file != r.File {
			now = append(now, visited{file: r.File})
		}
		now[len(now)-1].reads[r.Component]++
	}})
	r := rand.New(rand.NewPCG(8, 8))
	for _, level := range shape.Levels {
		for _, table := range level.TableList { // so that all are open
			_, _, err := d.Get(table.Smallest, nil)
			check(t, err)
		}
	}
	for i := range 3000 {
		key := g.keys[r.IntN(len(g.keys))]
		if i%3 == 0 {
			key = randomKey(r)
		}
		now = nil
		before := d.Counts()
		_, found, err := d.Get(key, nil)
		check(t, err)
		if found != (i%3 != 0) {
			t.Fatalf("Get %d: found %v", i, found)
		}
		requireVisits(t, shape, key, found, now, d.Counts().Sub(before))
	}
}

func requireVisits(t *testing.T, shape *lsm.Shape, key []byte, found bool, now []visited, run engine.Counts) {
	t.Helper()
	files, l0 := holders(shape, key)
	if len(now) > len(files) || !found && len(now) != len(files) {
		t.Fatalf("key %x: %d tables visited of %v, %d of them in L0", key, len(now), files, l0)
	}
	var sum readpath.PerComponent
	for i, v := range now {
		if v.file != files[i] {
			t.Fatalf("key %x: tables %v visited, of %v", key, now, files)
		}
		probed := v.reads[readpath.Data] > 0
		last := found && i == len(now)-1
		if probed != (v.reads[readpath.TopIndex] == 1) || last && !probed || v.reads[readpath.TopIndex] > 1 {
			t.Fatalf("key %x: table %d: %v", key, v.file, v.reads)
		}
		for c, n := range v.reads {
			sum[c] += int64(n)
		}
	}
	if run.Accesses.Count != sum || run.Reads.Count != sum || run.BlockCacheHits != 0 {
		t.Fatalf("key %x: %v accesses, %v reads, %v traced", key, run.Accesses.Count, run.Reads.Count, sum)
	}
	for _, c := range checkCounts(run) {
		if !c.OK {
			t.Fatalf("key %x: %s: %s", key, c.Name, c.Detail)
		}
	}
}
