package measure

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/workload"
)

// fakeClock advances with every sleep, which may be late, and every yield.
type fakeClock struct {
	time   time.Duration
	late   func() time.Duration
	slept  time.Duration
	yields int
}

func (c *fakeClock) now() time.Duration { return c.time }

func (c *fakeClock) sleep(_ context.Context, d time.Duration) {
	c.slept += d
	c.time += d + c.late()
}

// aYield is the duration of a yield.
const aYield = time.Microsecond

func (c *fakeClock) yield() {
	c.yields++
	c.time += aYield
}

func onTime() time.Duration { return 0 }

// made is a Get that a pace handed out.
type made struct{ g, due, called, returned int64 }

// play makes the Gets below end, which take the given times, each by the worker that is free first.
func play(p *pace, c *fakeClock, free []time.Duration, end int64, takes func(g int64) time.Duration) (all []made) {
	for {
		worker := 0
		for w := range free {
			if free[w] < free[worker] {
				worker = w
			}
		}
		// A worker requests a Get when it is free and the previous worker has its own.
		c.time = max(free[worker], p.last)
		g, due, ok := p.next(context.Background(), end)
		if !ok {
			return all
		}
		called := c.time
		free[worker] = called + takes(g)
		all = append(all, made{g, int64(due), int64(called), int64(free[worker])})
	}
}

// queue is the model: it returns when each Get is called if the first free worker makes it.
func queue(due []time.Duration, workers int, takes func(g int64) time.Duration) (called []time.Duration) {
	free := make([]time.Duration, workers)
	for g := range due {
		slices.Sort(free)
		at := max(due[g], free[0])
		called = append(called, at)
		free[0] = at + takes(int64(g))
	}
	return called
}

// TestPaceMatchesAQueue: at any rate, with any workers and times, each Get is called when the
// model calls it, up to the yield that its worker may be in.
func TestPaceMatchesAQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		rate, workers, gets := 1+r.Int64N(200_000), 1+r.IntN(8), 1+r.Int64N(400)
		mean := float64(workers) * float64(time.Second) / float64(rate) * (0.3 + r.Float64())
		took := make([]time.Duration, gets)
		for i := range took {
			took[i] = time.Duration(mean * r.ExpFloat64())
		}
		takes := func(g int64) time.Duration { return took[g] }
		c := &fakeClock{late: func() time.Duration { return time.Duration(r.Int64N(int64(wakeEarly))) }}
		p := &pace{rate: rate, clock: c}
		due := make([]time.Duration, gets)
		for g := range due {
			due[g] = time.Duration(float64(g) / float64(rate) * float64(time.Second))
		}
		want := queue(due, workers, takes)
		all := play(p, c, make([]time.Duration, workers), gets, takes)
		require.Equal(t, gets, int64(len(all)), "Gets")
		for i, m := range all {
			if m.g != int64(i) || time.Duration(m.due)-due[i] > 1 || due[i]-time.Duration(m.due) > 1 {
				t.Fatalf("Get %d is number %d, due at %v, want %v", i, m.g, time.Duration(m.due), due[i])
			}
			// Yields add up while Gets are late.
			if late := time.Duration(m.called) - want[i]; late < -1 || late > aYield*time.Duration(i+1) {
				t.Fatalf("rate %d, %d workers: Get %d is called %v after the model", rate, workers, i, late)
			}
		}
	}
}

// TestStallDelaysLaterGets: one Get of 50 ms delays the 49 due behind it, one per
// millisecond; each waits a millisecond less.
func TestStallDelaysLaterGets(t *testing.T) {
	const stall = 50 * time.Millisecond
	c := &fakeClock{late: onTime}
	p := &pace{rate: 1000, clock: c}
	takes := func(g int64) time.Duration {
		if g == 100 {
			return stall
		}
		return 0
	}
	for _, m := range play(p, c, make([]time.Duration, 1), 300, takes) {
		want := time.Duration(0)
		if m.g >= 100 && m.g < 150 {
			want = stall - time.Duration(m.g-100)*time.Millisecond
		}
		if response := time.Duration(m.returned - m.due); response < want || response > want+2*aYield {
			t.Errorf("Get %d responds after %v, want %v", m.g, response, want)
		}
	}
}

func TestLateSleepsDoNotDelayGets(t *testing.T) {
	c := &fakeClock{late: func() time.Duration { return wakeEarly - aYield }}
	p := &pace{rate: 20, clock: c}
	all := play(p, c, make([]time.Duration, 2), 100, func(int64) time.Duration { return 100 * time.Microsecond })
	for _, m := range all {
		assert.LessOrEqual(t, time.Duration(m.called-m.due), aYield, "delay of Get %d", m.g)
	}
	if share := float64(c.slept) / float64(all[99].returned); share < 0.9 {
		t.Errorf("its workers slept %.0f%% of the time", 100*share)
	}
}

// TestBatchesDoNotChangeTheSchedule compares a schedule in batches, with stalls and pauses, with
// one without batches.
func TestBatchesDoNotChangeTheSchedule(t *testing.T) {
	const gets, workers = 400, 3
	took := make([]time.Duration, gets)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range took {
		took[i] = time.Duration(2e6 * r.ExpFloat64())
		if r.IntN(20) == 0 {
			took[i] = 20 * time.Millisecond
		}
	}
	takes := func(g int64) time.Duration { return took[g] }
	run := func(batch int64) (called []int64) {
		c := &fakeClock{late: onTime}
		p := &pace{rate: 1000, clock: c}
		free := make([]time.Duration, workers)
		for end := batch; end <= gets; end += batch {
			// recorder.start sets the clock to the last call; attach keeps workers away
			// until they are free, as play does.
			c.time = p.last
			for _, m := range play(p, c, free, end, takes) {
				called = append(called, m.called)
			}
		}
		return called
	}
	whole, parts := run(gets), run(20)
	for i := range whole {
		if whole[i] != parts[i] {
			t.Fatalf("Get %d is called at %v in batches, at %v in one piece", i, time.Duration(parts[i]), time.Duration(whole[i]))
		}
	}
}

func TestPaceEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &pace{rate: 1, clock: &fakeClock{late: onTime}}
	if _, _, ok := p.next(ctx, 10); ok || p.made != 0 {
		t.Errorf("%d Gets were handed out after the end", p.made)
	}
}

// TestReached compares reached with the rate at which Gets were called.
func TestReached(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		want  float64
	}{{time.Millisecond, 100}, {20 * time.Millisecond, 50}} {
		clock := &fakeClock{late: onTime}
		p := &pace{rate: 100, clock: clock}
		play(p, clock, make([]time.Duration, 1), 1000, func(int64) time.Duration { return c.takes })
		if got := p.reached(); cmp.Compare(got, c.want*0.999) < 0 || got > c.want*1.001 {
			t.Errorf("Gets of %v reach %v a second, want %v", c.takes, got, c.want)
		}
	}
}

// TestDueIsExact checks that long schedules do not drift.
func TestDueIsExact(t *testing.T) {
	for _, rate := range []int64{1, 3, 7, 20_000, workload.MaxRate} {
		p := &pace{rate: rate}
		assert.Equal(t, 1_000_000*time.Second, p.due(rate*1_000_000), "rate %d", rate)
		if rate > 1 && p.due(1) != time.Second/time.Duration(rate) {
			t.Errorf("at %d a second, the second Get is due at %v", rate, p.due(1))
		}
	}
}
