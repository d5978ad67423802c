// Package measure makes the Gets of a run, from the warm-up to the last window, and turns their
// counts into a result with confidence interval, steadiness and self-checks.
package measure

import (
	"context"
	"fmt"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/numbers/steady"
	"getio/record"
	"getio/system/cputime"
	"getio/workload/trace"
)

// Options configures a measurement.
type Options struct {
	Gets       int64 // measured; 0 for the default
	Warmup     Warmup
	Workers    int
	Keys       int64     // in the database, for a warm-up in percent; 0 if unknown
	Operation  Operation // all numbers of Gets count these operations
	ExactSplit bool      // split index and data accesses by repeating all Gets without a cache
	NoSplit    bool      // keep the engine's estimate of the split
	// Distribution records the number of reads of each measured Get, Latency its duration. They
	// exclude the warm-up and continued runs.
	Distribution, Latency bool
	// Rate is the number of measured Gets due per second; latency is measured from when a Get
	// is due. With 0, each Get starts as soon as the previous one has returned.
	Rate int64
	// MoreRuns limits the further runs that are made until one is steady. Each makes Gets Gets
	// with the cache as the previous run left it.
	MoreRuns int
	// Until is when the run should end; the zero Time does not bound it, and nothing bounds a run whose
	// number of Gets is given.
	Until time.Time
	// Record, if not nil, receives the operations of the warm-up and the measured run. Writing
	// it is not timed.
	Record   *trace.Writer
	Progress Progress
	Observe  Observer // may be nil

	sample     *splitSample // shared by the runs of a sweep; may be nil
	mostChosen *int64       // of the warm-up's Gets of chosen keys; nil: as many as it needs
	uniform    bool         // all keys are equally popular
}

// Observer is called with the open database after the warm-up and after the measured Gets,
// while no Get is in progress.
type Observer interface {
	WarmedUp(engine.DB)
	Measured(db engine.DB, gets int64, took time.Duration)
}

// DefaultGets returns the default number of measured Gets: enough for five windows of twice
// the minimum length that the steady rule needs.
func DefaultGets(s *lsm.Shape) int64 { return max(1_000_000, 10*s.MinWindowGets()) }

// defaultGets is like DefaultGets, but reduced for operations of several records each.
func (o Options) defaultGets(s *lsm.Shape) int64 {
	return max(DefaultGets(s)/o.Operation.records(), measuredWindows*windowFloor)
}

// minGets returns the minimum number of operations in a window of the steady rule: enough for
// lsm.Shape.MinWindowGets records, and at least windowFloor.
func (o Options) minGets(s *lsm.Shape) int64 {
	return max(s.MinWindowGets()/o.Operation.records(), windowFloor)
}

// A measured run is split into measuredWindows windows for its confidence interval, or into
// fewer of windowFloor Gets.
const (
	measuredWindows = 20
	windowFloor     = 1_000
)

// run is a measurement in progress.
type run struct {
	db         engine.DB
	ordered    engine.Ordered // db, for operations other than Gets
	gets       keysource.Sequence
	opts       Options
	minGets    int64  // of a window of the steady rule
	windowGets int64  // of a window of a run that finds its own length
	next       int64  // number of the next Get
	chosen     int64  // Gets of chosen keys, which come before those and have no number
	warmup     int64  // Gets before the measured ones, apart from those
	filled     bool   // the warm-up filled the cache, so that its state is steady
	ended      string // what ended the measured Gets, if their number was not given
	// warmUntil and until are when the warm-up and the measured Gets should end.
	warmUntil, until time.Time
	// repeated is the expected duration of repeating one measured Get without a cache. It is 0 if Gets are not
	// repeated or time is unlimited.
	repeated time.Duration
	cache    int64           // bytes of the measured cache
	began    engine.Counts   // at the start of the phase
	spent    cputime.Elapsed // in the timed parts of the phase
	seek     bool            // keys are looked up with an iterator
	layers   *layers         // nil: device reads are not counted
	recorder *recorder       // of the phase's single Gets
	workers  []*worker       // of the phase
	// windowReads holds the reads of each window of the phase.
	windowReads []readpath.Reads
	// ownBefore holds the attributed reads of the Gets of earlier phases.
	ownBefore readpath.Reads
	// attribution attributes reads of tables to Gets; may be nil.
	attribution *attribution
	shared      *shared // nil: only Gets use the database
}

// Measure opens the store with the given cache and measures the Gets. The result includes the
// self-checks: a failed check invalidates the result, but is not an error. A Get that fails, that
// misses an existing key or that finds an absent one is an error.
func Measure(ctx context.Context, s engine.Store, open engine.OpenConfig, gets keysource.Sequence, opts Options) (*record.Result, error) {
	opts = opts.complete(s.Shape())
	if err := checkWarmup(s.Info(), opts); err != nil {
		return nil, err
	}
	var whose *attribution
	if opts.Distribution {
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
	r := &run{db: db, attribution: whose, gets: gets, opts: opts, minGets: opts.minGets(s.Shape()), windowGets: opts.windowGets(s.Shape()), cache: db.Cache().Bytes, seek: open.LastLevelFilters, layers: newLayers(s, open.Device)}
	if err := r.order(s); err != nil {
		return nil, err
	}
	r.allot(opts.Until)
	if err := r.allotRepetition(ctx, s); err != nil {
		return nil, err
	}
	if err := r.warmUp(ctx, s); err != nil {
		return nil, err
	}
	r.warmup = r.next
	if opts.Observe != nil {
		opts.Observe.WarmedUp(db)
	}
	open.Device.Slow(true)
	windows, err := r.measureAll(ctx, s)
	if err != nil {
		return nil, err
	}
	counts := r.counts()
	checks := append(db.Check(counts), r.layers.check(counts)...)
	distribution := r.distribution()
	if distribution != nil {
		checks = append(checks, checkDistribution(distribution, r.opts.Gets, counts))
	}
	if opts.Observe != nil {
		opts.Observe.Measured(db, r.opts.Gets, r.spent.Wall)
	}
	accesses, more, err := r.split(ctx, s, counts.Accesses, r.warmup)
	if err != nil {
		return nil, err
	}
	counts.Accesses = accesses
	checks = append(checks, more...)
	result := newResult(s.Info(), s.Shape(), db.Cache(), counts, checks)
	result.Distribution = distribution
	r.describe(result, windows, r.warmup)
	if err := r.continueUntilSteady(ctx, result, windows, accesses); err != nil {
		return nil, err
	}
	return result, nil
}

// order requires an ordered database for operations other than Gets.
func (r *run) order(s engine.Store) (err error) {
	if !r.opts.Operation.Kind.IsGet() {
		r.ordered, err = engine.AsOrdered(r.db, s.Info())
	}
	return err
}

func checkWarmup(info engine.Info, opts Options) error {
	if opts.Warmup.fraction > 0 && opts.Keys == 0 {
		return fmt.Errorf("the warm-up is a share of the keys, but the tables of %s do not say how many they hold: choose a number of Gets, or auto", info.Dir)
	}
	return nil
}

// begin begins a phase.
func (r *run) begin(rec *recorder) {
	r.ownBefore = r.allOwn() // includes the workers of the phase before
	r.recorder, r.workers = rec, rec.workers(r.opts.Workers)
	r.began, r.spent, r.windowReads = r.db.Counts(), cputime.Elapsed{}, nil
	r.layers.begin()
}

// counts returns the counts of the phase so far. No Get may be in progress.
func (r *run) counts() engine.Counts {
	c := r.db.Counts().Sub(r.began)
	if r.shared != nil {
		c.Reads = r.own()
	}
	return c
}

// warmUp makes the Gets before the measured ones. s may be nil if keys are not to be chosen.
func (r *run) warmUp(ctx context.Context, s engine.Store) error {
	r.begin(r.unmeasuredRecorder())
	if r.choosesKeys() {
		if err := r.warmByChosenKeys(ctx, s); err != nil {
			return err
		}
	}
	if !r.opts.Warmup.auto {
		n := r.opts.Warmup.fixed(r.opts.Keys)
		_, err := r.window(ctx, n, Stage{Phase: PhaseWarmUp, Done: r.chosen, Total: r.chosen + n})
		return err
	}
	var windows []steady.Window
	size := r.minGets
	most := maxWarmupWindows * r.minGets
	for r.next < most {
		r.filled = r.fills() && r.bytesRead() >= r.cache
		w, timeUp, err := r.warmUpWindow(ctx, size)
		if err != nil || r.filled || timeUp {
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

// warmUpParts is the number of parts of a window after which a warm-up may end because time is up.
const warmUpParts = 4

// warmUpWindow makes a window of the warm-up, or the part of it for which there is time.
func (r *run) warmUpWindow(ctx context.Context, size int64) (all steady.Window, timeUp bool, err error) {
	parts := int64(1)
	if !r.warmUntil.IsZero() {
		parts = warmUpParts
	}
	for i := int64(0); i < parts && !timeUp; i++ {
		start := time.Now()
		w, err := r.window(ctx, (i+1)*size/parts-i*size/parts, Stage{Phase: PhaseWarmUp, Done: r.made()})
		if err != nil {
			return all, false, err
		}
		all.Gets, all.Reads = all.Gets+w.Gets, all.Reads+w.Reads
		timeUp = passes(r.warmUntil, time.Since(start))
	}
	return all, timeUp, nil
}

// made returns the number of all Gets so far.
func (r *run) made() int64 { return r.chosen + r.next }

// measureAll makes the measured Gets, as many as the options say or their windows require.
func (r *run) measureAll(ctx context.Context, s engine.Store) ([]steady.Window, error) {
	if r.opts.sequential() {
		return r.measureUntilKnown(ctx, r.opts.mostMeasured(s.Shape()))
	}
	return r.measure(ctx, Stage{Phase: PhaseMeasure}, r.measuredRecorder())
}

// measure makes the measured Gets, as one phase in windows.
func (r *run) measure(ctx context.Context, stage Stage, rec *recorder) ([]steady.Window, error) {
	count := int64(measuredWindows)
	if r.opts.Gets < count*windowFloor {
		count = max(1, r.opts.Gets/windowFloor)
	}
	r.begin(rec)
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
