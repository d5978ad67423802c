package twin

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/workload"
)

// TestSteadyMatchesSimulation: accesses match simulated ones, misses those of a static cache.
func TestSteadyMatchesSimulation(t *testing.T) {
	for _, c := range []struct {
		name    string
		library Library
		absent  float64
		filters bool
	}{
		{"v1", PebbleV1, 0, false}, {"v2", PebbleV2, 0, false}, {"half absent", PebbleV1, 0.5, false},
		{"all absent", PebbleV2, 1, false}, {"last level filtered", PebbleV1, 0.5, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := newTree(t, manyTables(), Options{Library: c.library, BlockBytes: alike(4000), LastLevelFilter: c.filters})
			tree.err(0.1)
			s := NewSteady(tree, c.absent)
			g, err := newGets(tree, workload.Keys{Absent: c.absent, Seed: 1})
			require.NoError(t, err)
			// Count a static cache's misses over the same stream twice: once to learn
			// the rates, once to see what it misses.
			const n = 200_000
			rates := map[uint64]*rate{}
			var accesses readpath.Means
			var stream []Access
			for range n {
				from := len(stream)
				stream = g.next(stream)
				for _, a := range stream[from:] {
					accesses[a.Component]++
					if rates[a.Block] == nil {
						rates[a.Block] = &rate{block: a.Block, size: a.Size}
					}
					rates[a.Block].accesses++
				}
			}
			near := func(what string, got, want float64) {
				if math.Abs(got-want) > 0.01*want+0.003 {
					t.Errorf("%s: %.4f per Get, simulated %.4f", what, got, want)
				}
			}
			for component, got := range s.Accesses() {
				near(readpath.Component(component).String(), got, accesses[component]/n)
			}
			for _, bytes := range []int64{20_000, 60_000, 100_000, 150_000, 400_000, 2_000_000} {
				held, misses := static(bytes, slices.Collect(maps.Values(rates))), 0.0
				for _, a := range stream {
					if !held[a.Block] {
						misses++
					}
				}
				// A cache holds whole blocks only; the analytic one may hold a part.
				if got, want := s.IOsPerGet(bytes), misses/n; math.Abs(got-want) > 0.03*want+0.01 {
					t.Errorf("%d bytes: %.4f I/Os per Get, a static cache makes %.4f", bytes, got, want)
				}
			}
		})
	}
}

// rate is how often a block of a size is accessed.
type rate struct {
	block    uint64
	size     uint32
	accesses float64
}

// static returns the blocks with the most accesses per byte that a cache holds, each if it still fits.
func static(capacity int64, rates []*rate) map[uint64]bool {
	slices.SortFunc(rates, func(a, b *rate) int {
		return cmp.Or(cmp.Compare(b.accesses/float64(b.size), a.accesses/float64(a.size)), cmp.Compare(a.block, b.block))
	})
	held := map[uint64]bool{}
	for _, r := range rates {
		if int64(r.size) <= capacity {
			held[r.block], capacity = true, capacity-int64(r.size)
		}
	}
	return held
}

// TestStatic: the choice is the best of all sets of blocks.
func TestStatic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var rates []*rate
		for b := range uint64(8) {
			// Equal sizes: then taking the best first is the best choice.
			rates = append(rates, &rate{block: b, size: 10, accesses: float64(r.IntN(100))})
		}
		capacity := int64(10 * r.IntN(9))
		best := 0.0
		for set := range 1 << len(rates) {
			size, accesses := int64(0), 0.0
			for b, rate := range rates {
				if set>>b&1 != 0 {
					size += int64(rate.size)
					accesses += rate.accesses
				}
			}
			if size <= capacity {
				best = max(best, accesses)
			}
		}
		held, got, used := static(capacity, rates), 0.0, int64(0)
		for _, rate := range rates {
			if held[rate.block] {
				got += rate.accesses
				used += int64(rate.size)
			}
		}
		if got != best || used > capacity {
			t.Fatalf("capacity %d: %v accesses are hits with %d bytes, best is %v", capacity, got, used, best)
		}
	}
}

// manyTables has 111 tables in three runs, with gaps, each with 30 data blocks.
func manyTables() *lsm.Shape {
	random := wyrand.New(3)
	levels := map[int][]lsm.Table{}
	for i, n := range []int{5, 26, 80} {
		level := 4 + i
		borders := make([]uint64, 2*n)
		for i := range borders {
			borders[i] = random.Uint64()
		}
		slices.Sort(borders)
		for i := range n {
			levels[level] = append(levels[level], lsm.Table{
				File: uint64(100*level + i), Smallest: keyOf(borders[2*i]), Largest: keyOf(borders[2*i+1]),
				Records: 300, DataBlocks: 30, IndexBlocks: 2, IndexBytes: 700, TopIndexBytes: 50, FilterBytes: 380,
			})
		}
	}
	return shapeOf(levels)
}

// TestSteadyIsALowerBound: no policy reads less in the long run, and with room for the
// indexes CLOCK-Pro reads hardly more.
func TestSteadyIsALowerBound(t *testing.T) {
	tree := newTree(t, publishedShape(t, "small"), publishedV1)
	began := time.Now()
	steady := NewSteady(tree, 0)
	t.Logf("%d tables in %v", len(tree.tables), time.Since(began))
	sizes := []int64{45 << 20, 100 << 20, 160 << 20}
	var caches []Cache
	for _, bytes := range sizes {
		caches = append(caches, Cache{cachesim.NameClockPro, bytes, 4, 4})
	}
	s, err := NewSimulation(tree, workload.Keys{Seed: 1}, caches)
	require.NoError(t, err)
	_, err = s.Run(context.Background(), 500_000)
	require.NoError(t, err)
	counts, err := s.Run(context.Background(), 250_000)
	require.NoError(t, err)
	for i, bytes := range sizes {
		got, least := counts[i].IOsPerGet(), steady.IOsPerGet(bytes)
		t.Logf("%d MiB: CLOCK-Pro %.4f, least %.4f", bytes>>20, got, least)
		if got < least-0.005 || got > 1.02*least {
			t.Errorf("%d MiB: CLOCK-Pro makes %.4f I/Os per Get, the least is %.4f", bytes>>20, got, least)
		}
	}
}
