package counter

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/predict/cachesim"
	"getio/system/pagecache"
)

// lookups returns lookups of pages in ascending order without neighbours. Pages recur, some
// of them often.
func lookups(n int, pages int64) [][]int64 {
	random := rand.New(rand.NewPCG(3, 4))
	all := make([][]int64, n)
	for i := range all {
		for range 1 + random.IntN(4) {
			// Squaring makes low numbers more frequent.
			f := random.Float64()
			p := 2 * int64(f*f*float64(pages/2))
			if !slices.Contains(all[i], p) {
				all[i] = append(all[i], p)
			}
		}
		slices.Sort(all[i])
	}
	return all
}

// TestColdReadsEveryPage checks that each lookup reads all its pages from the device,
// whatever earlier lookups read, with every way of reading.
func TestColdReadsEveryPage(t *testing.T) {
	const pages = 4096
	c := newCounter(t, 64<<20)
	path := pagesFile(t, c, pages)
	asked := lookups(300, pages)
	for _, how := range ways {
		t.Run(how, func(t *testing.T) {
			r := startReader(t, c, how, path)
			begun := time.Now()
			cold, err := c.Cold(len(asked), nil, func(i int) error { return r.read(asked[i]...) })
			require.NoError(t, err)
			t.Logf("%v for each of %d lookups", time.Since(begun)/time.Duration(len(asked)), len(asked))
			if cold.noTrace != nil {
				t.Log(cold.noTrace)
			}
			holdCold(t, cold, asked)
			want := cold.Total.Device.Bytes
			if how == byDirect || how == byUring {
				want = 0
			}
			assert.Equal(t, want, cold.Cached, "bytes through the page cache")
		})
	}
}

// holdCold compares lookups, and budgets simulated from them, with what they asked for.
func holdCold(t *testing.T, cold *Cold, asked [][]int64) {
	t.Helper()
	var total int64
	for i, l := range cold.Lookups {
		if n := int64(len(asked[i])); l.Reads != n || l.Bytes != n*page || l.Meta != 0 {
			t.Fatalf("lookup %d of %d pages read %+v", i, n, l)
		}
		total += int64(len(asked[i]))
	}
	if cold.Total.Device.Reads != total || len(cold.Lookups) != len(asked) {
		t.Errorf("%d lookups read %+v, asked for %d pages", len(cold.Lookups), cold.Total, total)
	}
	checks := cold.Checks()
	assert.True(t, checks.Hold(), checks)
	for _, budget := range []int64{0, 1, 10, 100, 1000, 100_000} {
		for _, warmup := range []int{0, len(asked) / 3} {
			want := lru(asked, int(budget), warmup)
			if got := cold.Simulate(cachesim.NewLRU(budget*page), warmup); got.Reads != want || got.Bytes != want*page || got.Lookups != int64(len(asked)-warmup) {
				t.Errorf("with %d pages, after %d lookups: %+v, want %d reads", budget, warmup, got, want)
			}
		}
	}
}

// lru counts the misses of an LRU cache in the simplest way.
func lru(asked [][]int64, capacity, warmup int) (reads int64) {
	var held []int64 // most recently used first
	for i, pages := range asked {
		for _, p := range pages {
			at := slices.Index(held, p)
			if at >= 0 {
				held = slices.Delete(held, at, at+1)
			} else if i >= warmup {
				reads++
			}
			held = slices.Insert(held, 0, p)
			held = held[:min(len(held), capacity)]
		}
	}
	return reads
}

// TestColdWithoutTrace finds the pages in the page cache.
func TestColdWithoutTrace(t *testing.T) {
	c := newCounter(t, 64<<20)
	path := pagesFile(t, c, 4096)
	asked := lookups(50, 4096)
	require.NoError(t, os.Remove(c.traceDir()))
	for _, how := range []string{byPread, byMap} {
		r := startReader(t, c, how, path)
		cold, err := c.Cold(len(asked), nil, func(i int) error { return r.read(asked[i]...) })
		require.NoError(t, err)
		if cold.noTrace == nil || len(cold.Checks()) != 1 {
			t.Fatalf("a trace was had: %+v", cold.Checks())
		}
		holdCold(t, cold, asked)
	}
}

// TestNeighboursAreOneRead checks that adjacent pages asked for together are one request.
func TestNeighboursAreOneRead(t *testing.T) {
	c := newCounter(t, 64<<20)
	path := pagesFile(t, c, 4096)
	r := startReader(t, c, byUring, path)
	asked := []int64{100, 101, 102, 103, 200, 300, 301}
	n := counted(t, c, func() error { return r.read(asked...) })
	if n.Device.Reads+n.Device.Merged != n.Group.Reads || n.Group.Reads != int64(len(asked)) || n.Device.Reads < 3 || !n.Check().OK {
		t.Errorf("%+v", n)
	}
	cold := &Cold{pages: []pagecache.Extent{{First: 100, Pages: 4}, {First: 101, Pages: 1}, {First: 100, Pages: 5}}, ends: []int{1, 2, 3}}
	assert.Equal(t, Reads{Lookups: 3, Reads: 2, Bytes: 5 * page}, cold.Simulate(cachesim.NewLRU(100*page), 0))
	cold = &Cold{pages: []pagecache.Extent{{First: 1, Pages: 1}, {First: 0, Pages: 3}}, ends: []int{1, 2}}
	assert.EqualValues(t, 3, cold.Simulate(cachesim.NewLRU(100*page), 0).Reads)
}

// TestSharedMappingIsDropped maps a file in two processes; the kernel does not page that out.
func TestSharedMappingIsDropped(t *testing.T) {
	c := newCounter(t, 64<<20)
	path := pagesFile(t, c, 4096)
	a, b := startReader(t, c, byMap, path), startReader(t, c, byMap, path)
	asked := lookups(5, 4096)
	cold, err := c.Cold(len(asked), nil, func(i int) error {
		if err := a.read(asked[i]...); err != nil {
			return err
		}
		return b.read(asked[i]...)
	})
	require.NoError(t, err)
	holdCold(t, cold, asked)
}

// TestLockedMemoryIsRefused checks that no lookup counts as cold while its file is locked in
// memory.
func TestLockedMemoryIsRefused(t *testing.T) {
	c := newCounter(t, 64<<20)
	path := pagesFile(t, c, 1024)
	startReader(t, c, byLockedMap, path)
	asked := false
	_, err := c.Cold(1, nil, func(int) error { asked = true; return nil })
	assert.ErrorContains(t, err, "stays in memory")
	assert.ErrorContains(t, err, path)
	assert.False(t, asked, "a lookup was made")
}

// TestNoReadahead reads adjacent pages, which the kernel would take for the start of a
// sequential read.
func TestNoReadahead(t *testing.T) {
	const lookups = 50
	c := newCounter(t, 64<<20)
	path := pagesFile(t, c, 32*(lookups+1))
	r := startReader(t, c, byPieces, path)
	cold, err := c.Cold(lookups, nil, func(i int) error { return r.read(32 * int64(i)) })
	require.NoError(t, err)
	for i, l := range cold.Lookups {
		if l.Reads != 2 || l.Bytes != 15*page {
			t.Errorf("lookup %d of two reads and 15 pages read %+v", i, l)
		}
	}
}

// TestWithin checks that the kernel reads each page once if all fit. The machine may take pages
// back at any time (DAMON does that with idle ones), so one run of a few must show it. With a
// smaller budget the kernel must read about as much as the simulation.
func TestWithin(t *testing.T) {
	const pages, warmup = 16384, 4000
	c := newCounter(t, 128<<20)
	path := pagesFile(t, c, pages)
	asked := lookups(8000, pages)
	for _, how := range []string{byPread, byMap} {
		t.Run(how, func(t *testing.T) {
			r := startReader(t, c, how, path)
			do := func(i int) error { return r.read(asked[i]...) }
			distinct := slices.Concat(asked...)
			slices.Sort(distinct)
			n := int64(len(slices.Compact(distinct)))
			var all Reads
			for tries := 0; tries == 0 || all.Reads > n+n/100 && tries < 20; tries++ {
				kernel, err := c.Within(2*pages*page, len(asked), 0, do)
				require.NoError(t, err)
				all = kernel.Reads
				if all.Reads < n || all.Bytes != all.Reads*page || all.Lookups != int64(len(asked)) {
					t.Fatalf("with room for all: %+v, %d pages", all, n)
				}
			}
			assert.LessOrEqual(t, all.Reads, n+n/100, "with room for all")
			const budget = 8 << 20
			kernel, err := c.Within(budget, len(asked), warmup, do)
			require.NoError(t, err)
			simulated := recorded(asked).Simulate(cachesim.NewLRU(budget), warmup)
			t.Logf("with %d MiB the kernel reads %.3f per lookup, simulated %.3f", budget>>20, kernel.Reads.PerLookup(), simulated.PerLookup())
			if d := kernel.Reads.PerLookup()/simulated.PerLookup() - 1; d < -0.2 || d > 0.2 {
				t.Errorf("they differ by %.0f%%", 100*d)
			}
			memory, err := c.Memory()
			require.NoError(t, err)
			if memory.Used <= 0 || memory.Anonymous <= 0 {
				t.Errorf("the group takes %+v", memory)
			}
		})
	}
}

// recorded holds lookups as Cold would record them.
func recorded(asked [][]int64) *Cold {
	cold := &Cold{}
	for _, l := range asked {
		for _, p := range l {
			cold.pages = append(cold.pages, pagecache.Extent{First: p, Pages: 1})
		}
		cold.ends = append(cold.ends, len(cold.pages))
	}
	return cold
}

// TestUnseenAccesses goes from one of a few branches to one of many leaves. All branches stay in the
// kernel's page cache, unless it evicts pages in the order of reading.
func TestUnseenAccesses(t *testing.T) {
	const branches, pages, warmup, budget = 300, 16384, 4000, 8 << 20
	c := newCounter(t, 128<<20)
	path := pagesFile(t, c, pages)
	random := rand.New(rand.NewPCG(5, 6))
	asked := make([][]int64, 4*warmup)
	for i := range asked {
		asked[i] = []int64{2 * random.Int64N(branches), 2 * (branches + random.Int64N(pages/2-branches))}
	}
	cold := recorded(asked)
	lru := cold.Simulate(cachesim.NewLRU(budget), warmup).PerLookup()
	require.Greater(t, cold.Simulate(cachesim.NewLinuxUnseen(budget, 0), warmup).PerLookup(), 1.12*lru)
	for _, how := range []string{byMap, byRandomMap} {
		t.Run(how, func(t *testing.T) {
			r := startReader(t, c, how, path)
			unseen, err := c.Unseen()
			require.NoError(t, err)
			kernel, err := c.Within(budget, len(asked), warmup, func(i int) error { return r.read(asked[i]...) })
			require.NoError(t, err)
			want := lru
			if unseen {
				want = cold.Simulate(cachesim.NewLinuxUnseen(budget, kernel.Active), warmup).PerLookup()
			}
			t.Logf("with %d bytes active before, the kernel reads %.3f per lookup, the simulation %.3f, an LRU %.3f", kernel.Active, kernel.Reads.PerLookup(), want, lru)
			assert.InEpsilon(t, want, kernel.Reads.PerLookup(), 0.07)
		})
	}
}

// TestPageCache reads pages of which some are asked for far more often than others, so that most of the memory holds pages
// that were accessed twice, and neighbours, which the kernel reads ahead unless the disk forbids it.
func TestPageCache(t *testing.T) {
	const pages, rounds, warmup = 32768, 1500, 500
	c := newCounter(t, 256<<20)
	path := pagesFile(t, c, pages)
	random := rand.New(rand.NewPCG(7, 8))
	asked := make([][]int64, rounds)
	for i := range asked {
		for n := range 50 {
			f := random.Float64()
			if n%5 == 0 {
				f = math.Cbrt(f)
			}
			asked[i] = append(asked[i], int64(f*f*f*(pages-1)))
		}
	}
	for ahead, off := range map[int64]float64{0: 0.02, 128: 0.05} {
		require.NoError(t, os.WriteFile(filepath.Join("/sys/block", c.disk.Name, "queue/read_ahead_kb"), []byte(strconv.FormatInt(ahead, 10)), 0))
		for _, budget := range []int64{24 << 20, 80 << 20} {
			var r *reader
			kernel, err := c.Within(budget, rounds, warmup, func(i int) error {
				if i == 0 { // readahead is off for files that are open before
					r = startReader(t, c, byPread, path)
				}
				return r.read(asked[i]...)
			})
			require.NoError(t, err)
			var want cachesim.Device
			simulated := cachesim.NewPageCache(budget, ahead<<10, []cachesim.File{{Number: 1, Bytes: pages * page}}, 1)
			for i, round := range asked {
				for _, p := range round {
					if read := simulated.Read(1, p*page+17, 100); i >= warmup {
						want = want.Add(read)
					}
				}
			}
			t.Logf("%d MiB, %d KiB ahead: the kernel makes %d reads of %d pages, the simulation %d of %d", budget>>20, ahead, kernel.Reads.Reads, kernel.Reads.Bytes/page, want.Reads, want.Pages)
			assert.InEpsilon(t, want.Reads, kernel.Reads.Reads, off)
			assert.InEpsilon(t, want.Pages, kernel.Reads.Bytes/page, off)
		}
	}
}

// TestFailedLookupEndsRun also checks that the group has no memory limit afterwards.
func TestFailedLookupEndsRun(t *testing.T) {
	c := newCounter(t, 64<<20)
	path := pagesFile(t, c, 8192)
	r := startReader(t, c, byPread, path)
	failed := errors.New("failed")
	if _, err := c.Within(1<<20, 10, 0, func(int) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := c.Cold(10, nil, func(int) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	// The system may take a page back at any time. With a limit, no reading would be without reads.
	reads := int64(-1)
	for tries := 0; reads != 0 && tries < 20; tries++ {
		reads = counted(t, c, func() error { return r.read(scattered(4096)...) }).Device.Reads
	}
	assert.Zero(t, reads)
}
