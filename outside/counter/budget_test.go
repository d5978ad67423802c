package counter

import (
	"errors"
	"testing"
)

// TestWithin checks that the kernel reads each page once if all fit, except for a few that a
// machine may drop when idle (DAMON). With a smaller budget it must read about as much as
// the simulation.
func TestWithin(t *testing.T) {
	const pages, warmup = 16384, 4000
	c := newCounter(t, 128<<20)
	path := pagesFile(t, c, pages)
	asked := lookups(8000, pages)
	for _, how := range []string{byPread, byMap} {
		t.Run(how, func(t *testing.T) {
			r := startReader(t, c, how, path)
			do := func(i int) error { return r.read(asked[i]...) }
			all, err := c.Within(2*pages*page, len(asked), 0, do)
			check(t, err)
			distinct := map[int64]bool{}
			for _, l := range asked {
				for _, p := range l {
					distinct[p] = true
				}
			}
			n := int64(len(distinct))
			if all.Reads < n || all.Reads > n+n/100 || all.Bytes != all.Reads*page || all.Lookups != int64(len(asked)) {
				t.Errorf("with room for all: %+v, %d pages", all, n)
			}
			cold := &Cold{}
			for _, l := range asked {
				for _, p := range l {
					cold.pages = append(cold.pages, run{first: p, pages: 1})
				}
				cold.ends = append(cold.ends, len(cold.pages))
			}
			const budget = 8 << 20
			kernel, err := c.Within(budget, len(asked), warmup, do)
			check(t, err)
			simulated := cold.Simulate(budget, warmup)
			t.Logf("with %d MiB the kernel reads %.3f per lookup, simulated %.3f", budget>>20, kernel.PerLookup(), simulated.PerLookup())
			if d := kernel.PerLookup()/simulated.PerLookup() - 1; d < -0.2 || d > 0.2 {
				t.Errorf("they differ by %.0f%%", 100*d)
			}
			memory, err := c.Memory()
			check(t, err)
			if memory.Used <= 0 || memory.Anonymous <= 0 {
				t.Errorf("the group takes %+v", memory)
			}
		})
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
	check(t, r.read(scattered(4096)...))
	before := counted(t, c)
	check(t, r.read(scattered(4096)...))
	if n := counted(t, c).Sub(before); n.Device.Reads != 0 {
		t.Errorf("16 MiB do not stay in the page cache: %+v", n)
	}
}
