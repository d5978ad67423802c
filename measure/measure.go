// Package measure makes the Gets of a run and turns what was counted into a
// result: warm-up, windows, confidence, steady state, self-checks.
package measure

import (
	"context"
	"fmt"
	"time"

	"getio/dataset/trace"
	"getio/engine"
	"getio/measure/workload"
	"getio/numbers/steady"
	"getio/record"
	"getio/system/cputime"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Options say how to measure.
type Options struct {
	Gets       int64 // measured; 0 takes DefaultGets
	Warmup     Warmup
	Workers    int
	Keys       int64     // of the database, which a warm-up in per cent refers to; 0 if not known
	Operation  Operation // what is made, Gets or others: all numbers of Gets are of these
	ExactSplit bool      // tell index from data accesses by reading again without a cache
	NoSplit    bool      // leave them as the engine estimates them
	// Distribution notes how many reads each measured Get makes, Latency how long each
	// takes. Neither is of warm-ups and of runs that go on.
	Distribution, Latency bool
	// Rate is how many of the measured Gets are due a second, and notes how long each
	// takes from then on; 0 makes each as soon as the one before it is made.
	Rate int64
	// GoOn is how many more runs of as many Gets are made at most, each with the
	// cache as the one before left it, as long as none is steady.
	GoOn int
	// Record is given the operations of warm-up and measured Gets, outside of what is
	// timed; nil: nobody asks for them.
	Record   *trace.Writer
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
func DefaultGets(s *lsm.Shape) int64 { return max(1_000_000, 10*s.MinWindowGets()) }

// defaultGets are fewer of operations that ask for several records each.
func (o Options) defaultGets(s *lsm.Shape) int64 {
	return max(DefaultGets(s)/o.Operation.records(), measuredWindows*windowFloor)
}

// minGets is how many operations a window takes from which rest can be read: as many
// records as lsm.Shape.MinWindowGets says of Gets, if they are enough for a mean.
func (o Options) minGets(s *lsm.Shape) int64 {
	return max(s.MinWindowGets()/o.Operation.records(), windowFloor)
}

// measuredWindows is how many windows a measured run is split into for its
// confidence interval, as far as they can have windowFloor Gets each.
const (
	measuredWindows = 20
	windowFloor     = 1_000
)

// run is one measurement under way.
type run struct {
	db      engine.DB
	ordered engine.Ordered // the same, where more than Gets are made
	gets    workload.Gets
	opts    Options
	minGets int64
	next    int64         // number of the next Get
	cache   int64         // bytes of the cache that is measured
	began   engine.Counts // where the phase began
	spent   cputime.Cost  // of the phase, its timed parts
	seek    bool          // keys are looked up with an iterator
	layers  *layers       // nil: nobody asks what reached the device
	notes   *notes        // of the phase's single Gets
	workers []*worker     // of the phase
	// ownBefore is what Gets of the phases before it read, as far as it is attributed.
	ownBefore readpath.Reads
	// attribution tells whose the reads of tables are; nil if nobody asks.
	attribution *attribution
	shared      *shared // nil: nobody uses the database beside the Gets
}

// Measure opens the store with the given cache and measures the Gets. The
// result carries the checks; one that does not hold makes it unbelievable, but
// is no error. A Get that fails, that misses a key that must exist or finds one
// that must not, is.
func Measure(ctx context.Context, s engine.Store, open engine.OpenConfig, gets workload.Gets, opts Options) (*record.Result, error) {
	if opts.Gets == 0 {
		opts.Gets = opts.defaultGets(s.Shape())
	}
	if err := checkWarmup(s.Info(), opts); err != nil {
		return nil, err
	}
	var whose *attribution
	if opts.Distribution {
		if err := RequireThreads(); err != nil {
			return nil, err
		}
		whose = newAttribution()
		open.Trace = whose.read
	}
	open.Operation = opts.Operation.Kind
	open.Device.Slow(false)
	db, err := s.Open(open)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	r := &run{db: db, attribution: whose, gets: gets, opts: opts, minGets: opts.minGets(s.Shape()), cache: db.Cache().Bytes, seek: open.LastLevelFilters, layers: newLayers(s, open.Device)}
	if err := r.order(s); err != nil {
		return nil, err
	}
	if err := r.warmUp(ctx); err != nil {
		return nil, err
	}
	warmup := r.next
	if opts.Observe != nil {
		opts.Observe.WarmedUp(db)
	}
	open.Device.Slow(true)
	windows, err := r.measure(ctx, Stage{Phase: PhaseMeasure}, r.wanted())
	if err != nil {
		return nil, err
	}
	counts := r.counts()
	checks := append(db.Check(counts), r.layers.check(counts)...)
	distribution := r.distribution()
	if distribution != nil {
		checks = append(checks, checkDistribution(distribution, opts.Gets, counts))
	}
	if opts.Observe != nil {
		opts.Observe.Measured(db, opts.Gets, r.spent.Wall)
	}
	accesses, more, err := r.split(ctx, s, counts.Accesses, warmup)
	if err != nil {
		return nil, err
	}
	counts.Accesses = accesses
	checks = append(checks, more...)
	result := newResult(s.Info(), s.Shape(), db.Cache(), counts, checks)
	result.Distribution = distribution
	r.describe(result, windows, warmup)
	if err := r.goOn(ctx, result, windows, accesses); err != nil {
		return nil, err
	}
	return result, nil
}

// order requires keys in order where more than Gets are made.
func (r *run) order(s engine.Store) (err error) {
	if !r.opts.Operation.Kind.IsGet() {
		r.ordered, err = engine.AsOrdered(r.db, s.Info())
	}
	return err
}

func checkWarmup(info engine.Info, opts Options) error {
	if opts.Warmup.fraction > 0 && opts.Keys == 0 {
		return fmt.Errorf("the warm-up is a share of the keys, and the tables of %s do not say how many they hold: name a number of Gets, or auto", info.Dir)
	}
	return nil
}

// begin begins a phase with such notes of its Gets.
func (r *run) begin(n *notes) {
	r.ownBefore = r.allOwn() // of the workers of the phase before
	r.notes, r.workers = n, n.workers(r.opts.Workers)
	r.began, r.spent = r.db.Counts(), cputime.Cost{}
	r.layers.begin()
}

// counts are those of the phase so far, while no Get is under way.
func (r *run) counts() engine.Counts {
	c := r.db.Counts().Sub(r.began)
	if r.shared != nil {
		c.Reads = r.own()
	}
	return c
}

func (r *run) warmUp(ctx context.Context) error {
	r.begin(r.unasked())
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

// measure makes a run of measured Gets, which is a phase of that stage's name, with such
// notes of them.
func (r *run) measure(ctx context.Context, stage Stage, n *notes) ([]steady.Window, error) {
	count := int64(measuredWindows)
	if r.opts.Gets < count*windowFloor {
		count = max(1, r.opts.Gets/windowFloor)
	}
	r.begin(n)
	stage.Total = r.opts.Gets
	var windows []steady.Window
	for i := range count {
		size := (i+1)*r.opts.Gets/count - i*r.opts.Gets/count
		stage.Done = i * r.opts.Gets / count
		w, err := r.window(ctx, size, stage)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	return windows, nil
}
