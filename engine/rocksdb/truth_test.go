//go:build rocksdb

package rocksdb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
	"getio/internal/truth/truthtest"
)

var small = []string{
	"block_size=512", "metadata_block_size=512", "write_buffer_size=64KiB", "target_file_size_base=32KiB", "target_file_size_multiplier=1",
	"max_bytes_for_level_base=64KiB", "max_bytes_for_level_multiplier=4",
}

// grown is a tree with several levels, opened for reading.
type grown struct {
	*enginetest.Tree
	store engine.Store
}

func grow(t *testing.T, overrides ...string) *grown {
	t.Helper()
	tree := enginetest.Grow(t, Engine, append(append([]string{}, small...), overrides...), []string{
		"level0_stop_writes_trigger=1000", "level0_slowdown_writes_trigger=1000", "level0_file_num_compaction_trigger=1000",
		// RocksDB 8.2 and newer empty levels that dynamic sizes would not need.
		"max_bytes_for_level_base=64MiB", "level_compaction_dynamic_level_bytes=false",
	})
	return &grown{tree, tree.Store(t)}
}

// trees maps names to the options of the trees that are compared.
var trees = map[string][]string{
	"partitioned":                    nil,
	"partitioned, outside the cache": {"cache_index_and_filter_blocks=false"},
	"whole":                          {"index_type=binary", "partition_filters=false"},
	"whole, outside the cache":       {"index_type=binary", "partition_filters=false", "cache_index_and_filter_blocks=false"},
	"partitioned, no filters":        {"bloom_bits=0", "partition_filters=false"},
}

// TestCountsAreTheLibrarys compares with a program that uses RocksDB unmodified.
func TestCountsAreTheLibrarys(t *testing.T) {
	for name, overrides := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := grow(t, overrides...)
			metadata := "cached"
			if strings.Contains(name, "outside the cache") {
				metadata = "outside"
			}
			for _, files := range []int{1000, 30} {
				for _, cache := range []int64{0, 256 << 10, 64 << 20} {
					g.compare(t, cache, files, metadata)
				}
			}
			if metadata == "cached" {
				g.RequireVisits(t, false)
			}
		})
	}
}

// compare compares Gets of keys of the tree, a third of which do not exist.
func (g *grown) compare(t *testing.T, cache int64, files int, metadata string) {
	t.Helper()
	var keys [][]byte
	r := rand.New(rand.NewPCG(8, 8))
	for i := range 1200 {
		keys = append(keys, g.Key(r, i%3 != 0))
	}
	compareGets(t, g.store, defaultFamily, keys, cache, files, metadata)
}

// compareGets makes the same Gets through the engine and through RocksDB with nothing around
// it, where metadata says how it is opened (truth.cc). Both must hit and miss the same blocks of the same cache, and the program must make
// as many calls of the kernel as the engine counts reads.
func compareGets(t *testing.T, s engine.Store, family string, keys [][]byte, cache int64, files int, metadata string) {
	t.Helper()
	var in strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&in, "%X\n", key)
	}
	sizes, ahead := sizesOf(s), int64(0) // reads of several blocks
	d := openDB(t, s, engine.OpenConfig{CacheBytes: cache, MaxOpenFiles: files, Trace: func(r engine.TableRead) {
		// A footer can begin where a page does, and always ends with the file.
		const page, footer = 4096, 53
		if end := r.Offset + int64(r.Length); r.Length > footer && r.Offset%page == 0 && (end%page == 0 || end == sizes[r.File]) {
			ahead++
		}
	}})
	gets := func() (found int64) {
		for _, key := range keys {
			_, there, err := d.Get(key, nil)
			require.NoError(t, err)
			if there {
				found++
			}
		}
		return found
	}
	gets() // opens the tables
	raw := d.raw()
	found := int64(0)
	ahead = 0
	run := enginetest.Measured(t, d, func() { found = gets() })
	now := d.raw()
	out := truthtest.Ask(t, in.String(), "gets", s.Info().Dir, fmt.Sprint(cache), metadata, fmt.Sprint(files), fmt.Sprintf("%X", family))
	// What the program prints, in this order.
	const (
		keysFound = iota
		filterMisses
		filterHits
		indexMisses
		indexHits
		dataMisses
		dataHits
		blockReads
		blobReads
		allReads
		numFigures
	)
	var want [numFigures]int64
	for i, word := range strings.Fields(out)[:len(want)] {
		_, err := fmt.Sscan(word, &want[i])
		require.NoError(t, err)
	}
	reads := run.Reads.Count.Sum()
	got := [numFigures]int64{
		keysFound:    found,
		filterMisses: int64(now.filter_misses - raw.filter_misses),
		filterHits:   int64(now.filter_hits - raw.filter_hits),
		indexMisses:  int64(now.index_misses - raw.index_misses),
		indexHits:    int64(now.index_hits - raw.index_hits),
		dataMisses:   int64(now.data_misses - raw.data_misses),
		dataHits:     int64(now.data_hits - raw.data_hits),
		blockReads:   reads - run.Reads.Footers - run.Reads.Count[readpath.Blob] - ahead,
		blobReads:    run.Reads.Count[readpath.Blob],
		allReads:     reads,
	}
	// Reading ahead past the end of the file takes one more call.
	within := [numFigures]int64{allReads: ahead}
	// RocksDB counts lookups that open tables as those of Gets.
	if run.TableCacheMisses > 0 {
		copy(want[filterMisses:dataMisses], got[filterMisses:dataMisses])
	}
	for i, w := range want {
		// The allocator rounds the sizes of blocks a little differently in each process,
		// and so a small cache holds one block more of one kind and one less of another. Neither
		// the keys nor the values in blob files depend on it.
		if cache > 0 && cache < 1<<20 && i != keysFound && i != blobReads {
			within[i] += 2 + max(w, reads)/100
		}
		if d := w - got[i]; max(d, -d) > within[i] {
			t.Errorf("cache %d, %d files: found, filter, index and data misses and hits, blocks, blobs and reads: %v, RocksDB unmodified %v", cache, files, got, want)
			return
		}
	}
}

// sizesOf returns the sizes of the table files.
func sizesOf(s engine.Store) map[uint64]int64 {
	sizes := map[uint64]int64{}
	for _, level := range s.Shape().Levels {
		for _, table := range level.TableList {
			sizes[table.File] = table.Bytes
		}
	}
	return sizes
}
