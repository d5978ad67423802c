// Package measure makes the Gets of a run and turns what was counted into a
// result: warm-up, windows, confidence, steady state, self-checks.
package measure

import (
	"context"
	"fmt"
	"time"

	"getio/cost"
	"getio/engine"
	"getio/lsm"
	"getio/record"
	"getio/steady"
	"getio/workload"
)

// Options say how to measure.
type Options struct {
	Gets       int64 // measured; 0 takes DefaultGets
	Warmup     Warmup
	Workers    int
	Keys       int64 // of the database, which a warm-up in per cent refers to; 0 if not known
	ExactSplit bool  // tell index from data accesses by reading again without a cache
	NoSplit    bool  // leave them as the engine estimates them
	// GoOn is how many more runs of as many Gets are made at most, each with the
	// cache as the one before left it, as long as none is steady.
	GoOn     int
	Progress Progress
	Observe  Observer // may be nil

	sample *splitSample // shared by the runs of a sweep; may be nil
}

// Observer sees the open database at the turns of a run, while no Get is under
// way.
type Observer interface {
	WarmedUp(engine.DB)
	Measured(db engine.DB, gets int64, took time.Duration)
}

// DefaultGets is how many Gets are measured unless said otherwise: enough for
// the five windows that drift is read from to be twice as long as they must be.
func DefaultGets(s *lsm.Shape) int64 { return max(1_000_000, 10*steady.MinGets(s)) }

// measuredWindows is how many windows a measured run is split into for its
// confidence interval, as far as they can have windowFloor Gets each.
const (
	measuredWindows = 20
	windowFloor     = 1_000
)

// run is one measurement under way.
type run struct {
	db      engine.DB
	gets    workload.Gets
	opts    Options
	minGets int64
	next    int64         // number of the next Get
	cache   int64         // bytes of the cache that is measured
	began   engine.Counts // where the phase began
	spent   cost.Cost     // of the phase, its timed parts
	seek    bool          // keys are looked up with an iterator
	layers  *layers       // nil: nobody asks what reached the device
}

// Measure opens the store with the given cache and measures the Gets. The
// result carries the checks; one that does not hold makes it unbelievable, but
// is no error. A Get that fails, that misses a key that must exist or finds one
// that must not, is.
func Measure(ctx context.Context, s engine.Store, open engine.OpenConfig, gets workload.Gets, opts Options) (*record.Result, error) {
	if opts.Gets == 0 {
		opts.Gets = DefaultGets(s.Shape())
	}
	if opts.Warmup.fraction > 0 && opts.Keys == 0 {
		return nil, fmt.Errorf("the warm-up is a share of the keys, and the tables of %s do not say how many they hold: name a number of Gets, or auto", s.Info().Dir)
	}
	open.Device.Slow(false)
	db, err := s.Open(open)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	r := &run{db: db, gets: gets, opts: opts, minGets: steady.MinGets(s.Shape()), cache: db.Cache().Bytes, seek: open.LastLevelFilters, layers: newLayers(s, open.Device)}
	if err := r.warmUp(ctx); err != nil {
		return nil, err
	}
	warmup := r.next
	if opts.Observe != nil {
		opts.Observe.WarmedUp(db)
	}
	open.Device.Slow(true)
	windows, err := r.measure(ctx, Stage{Phase: PhaseMeasure})
	if err != nil {
		return nil, err
	}
	counts := r.counts()
	checks := append(db.Check(counts), r.layers.check(counts)...)
	if opts.Observe != nil {
		opts.Observe.Measured(db, opts.Gets, r.spent.Wall)
	}
	accesses, more, err := r.split(ctx, s, counts.Accesses, warmup)
	if err != nil {
		return nil, err
	}
	counts.Accesses = accesses
	checks = append(checks, more...)
	result := newResult(s, db, counts, checks)
	r.describe(result, windows, warmup)
	if err := r.goOn(ctx, result, windows, accesses); err != nil {
		return nil, err
	}
	return result, nil
}

// begin begins a phase.
func (r *run) begin() {
	r.began, r.spent = r.db.Counts(), cost.Cost{}
	r.layers.begin()
}

// counts are those of the phase so far, while no Get is under way.
func (r *run) counts() engine.Counts { return r.db.Counts().Sub(r.began) }

func (r *run) warmUp(ctx context.Context) error {
	r.begin()
	if !r.opts.Warmup.auto {
		n := r.opts.Warmup.fixed(r.opts.Keys)
		_, err := r.window(ctx, n, Stage{Phase: PhaseWarmUp, Total: n})
		return err
	}
	var windows []steady.Window
	size := r.minGets
	most := maxWarmupWindows * r.minGets
	for r.next < most {
		w, err := r.window(ctx, size, Stage{Phase: PhaseWarmUp, Done: r.next})
		if err != nil {
			return err
		}
		windows = append(windows, w)
		if len(windows) >= minWarmupWindows && settled(windows, r.minGets, r.next) {
			return nil
		}
		if len(windows) == keptWindows {
			windows, size = steady.Halve(windows), 2*size
		}
	}
	return nil
}

// measure makes a run of measured Gets, which is a phase of that stage's name.
func (r *run) measure(ctx context.Context, stage Stage) ([]steady.Window, error) {
	n := int64(measuredWindows)
	if r.opts.Gets < n*windowFloor {
		n = max(1, r.opts.Gets/windowFloor)
	}
	r.begin()
	stage.Total = r.opts.Gets
	var windows []steady.Window
	for i := range n {
		size := (i+1)*r.opts.Gets/n - i*r.opts.Gets/n
		stage.Done = i * r.opts.Gets / n
		w, err := r.window(ctx, size, stage)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	return windows, nil
}
