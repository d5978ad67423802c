package replay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/pebble/sstfile"
	pebblev1 "getio/engine/pebble/v1"
	"getio/measure/keysource"
	"getio/predict/cachesim"
	"getio/workload"
	"getio/workload/trace"
)

// keyed remembers the keys of Gets.
type keyed struct {
	keysource.Sequence
	keys [][]byte
}

func (k *keyed) Key(g int64, buf []byte) ([]byte, keysource.Want) {
	key, want := k.Sequence.Key(g, buf)
	k.keys = append(k.keys, append([]byte(nil), key...))
	return key, want
}

// lastLevelStarts returns where the data blocks of the last level begin, in order.
func lastLevelStarts(t *testing.T, store engine.Store) (starts [][]byte) {
	levels := store.Shape().Levels
	for _, table := range levels[len(levels)-1].TableList {
		list, err := sstfile.Starts(table.File, filepath.Join(store.Info().Dir, fmt.Sprintf("%06d.sst", table.File)), 1)
		require.NoError(t, err)
		starts = append(starts, list...)
	}
	slices.SortFunc(starts, bytes.Compare)
	return starts
}

// sampleOf returns the Gets of one in so many ranges of keys, as a recording of them would.
func sampleOf(all *Recording, keys, starts [][]byte, one int) *Recording {
	const row = 4
	var taken []bool
	random := rand.New(rand.NewPCG(3, 3))
	for len(taken) <= len(starts) {
		from := len(taken)
		taken = append(taken, make([]bool, row*one)...)
		for _, i := range random.Perm(row * one)[:row] {
			taken[from+i] = true
		}
	}
	s := &Recording{levels: all.levels}
	from := 0
	for get, end := range all.ends {
		in := sort.Search(len(starts), func(i int) bool { return bytes.Compare(starts[i], keys[get]) > 0 })
		if taken[in] {
			s.accesses = append(s.accesses, all.accesses[from:end]...)
			s.ends = append(s.ends, len(s.accesses))
			s.in = append(s.in, int64(in)+1)
			if int64(get) < all.run.Warmup {
				s.run.Warmup++
			}
		}
		from = end
	}
	s.run.Gets = int64(len(s.ends)) - s.run.Warmup
	return s
}

// TestSampleStandsForAll compares what a sample gives for all Gets with what all Gets give. Equally
// popular keys in a tree with many small levels are the hardest case.
func TestSampleStandsForAll(t *testing.T) {
	store, gets := naturalDataset(t, pebblev1.Engine)
	library := cachesim.PebbleV1
	run := Run{Warmup: 50_000, Gets: 50_000}
	if testing.Short() {
		t.Skip("simulates a hundred thousand Gets many times")
	}
	k := &keyed{Sequence: gets}
	all, err := run.Record(t.Context(), store, k)
	require.NoError(t, err)
	const reserved, one = 256 << 10, 8
	var caches []Cache
	for _, kib := range []int64{128, 512, 1024, 2048} {
		caches = append(caches, Cache{Bytes: reserved + kib<<10, Reserved: reserved, Shards: 1})
	}
	want, err := all.Curve(t.Context(), library, caches)
	require.NoError(t, err)
	s := sampleOf(all, k.keys, lastLevelStarts(t, store), one)
	f := &trace.File{Operations: int64(len(s.ends)), Header: trace.Header{Warmup: s.run.Warmup, Recorded: &trace.Recorded{
		Gets: run.Warmup + run.Gets, Before: run.Warmup, Sample: one, Keys: trace.Whole,
	}}}
	got, err := s.ofSample(t.Context(), f, library, caches)
	require.NoError(t, err)
	for i := range caches {
		truth := float64(want[i].Misses.Sum()) / float64(run.Gets)
		t.Logf("%d KiB: %.4f of all, %.4f ± %.4f of the sample", (caches[i].Bytes-reserved)>>10, truth, got[i].IOs(), *got[i].Error)
		assert.InDelta(t, truth, got[i].IOs(), max(0.15*truth, 3**got[i].Error))
		assert.Less(t, *got[i].Error, 0.1*truth+0.02)
	}
}

// TestNeighbourhoodsOf draws neighbourhoods, and requires their number from those that are in the
// sample.
func TestNeighbourhoodsOf(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, rate := range []float64{1.0 / 2, 1.0 / 16} {
		for _, m := range []int{1, 3, 10, 100} {
			const blocks = 20_000
			there, in := 0, 0
			for range blocks {
				n := 0
				for range m {
					if random.Float64() < rate {
						n++
					}
				}
				in += n
				if n > 0 {
					there++
				}
			}
			assert.InEpsilon(t, m, neighbourhoodsOf(float64(in)/float64(there), rate), 0.15, fmt.Sprint(m, " at ", rate))
		}
	}
}

// TestFollowTrace follows a trace's own warm-up and refuses what has no Gets to look up.
func TestFollowTrace(t *testing.T) {
	f := &trace.File{Path: "t", Operations: 1000, Kind: workload.Get, Header: trace.Header{Warmup: 300}}
	r := Run{Warmup: 77}
	require.NoError(t, r.Follow(f, false))
	assert.Equal(t, Run{Warmup: 300, Gets: 700, Trace: f}, r)
	r = Run{Warmup: 77, Gets: 100}
	require.NoError(t, r.Follow(f, true))
	assert.Equal(t, Run{Warmup: 77, Gets: 100, Trace: f}, r)
	r.Gets = 1000
	assert.ErrorContains(t, r.Follow(f, true), "too few for a warm-up of 77 and 1000 measured ones")
	f.Kind = workload.Scan
	assert.ErrorContains(t, r.Follow(f, false), "only Gets can be replayed")
	f.Header.Recorded = &trace.Recorded{Keys: trace.Hashed}
	assert.ErrorContains(t, r.Follow(f, false), "--keys whole")
}
