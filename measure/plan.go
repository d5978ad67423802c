package measure

import (
	"fmt"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/numbers/steady"
	"getio/record"
	"getio/workload"
	"getio/workload/trace"
)

// Options configures a measurement.
type Options struct {
	workload.Workload // all numbers of Gets count its operations
	Counted
	// TotalKeys are those in the database, for a warm-up in percent; 0 if not known.
	TotalKeys int64
	// Until is when the run should end; the zero Time does not bound it, and nothing bounds a run whose number of Gets
	// is given.
	Until time.Time
	// Record, if not nil, receives the operations of the warm-up and the measured run. Writing it is not timed.
	Record   *trace.Writer
	Progress Progress
	Observe  Observer // may be nil
}

// Counted is what a run counts beside reads and accesses. It changes no figure of them.
type Counted struct {
	ExactSplit bool `json:"exact_split,omitempty"` // split index and data accesses by repeating all Gets without a cache
	NoSplit    bool `json:"-"`                     // keep the engine's estimate of the split
	// Distribution records the number of reads of each measured Get, without warm-up and continued runs.
	Distribution bool `json:"distribution,omitempty"`
	// Latency records the duration of each such Get, from when it is due if the workload has a rate.
	Latency bool `json:"latency,omitempty"`
}

// Observer is called with the open database after the warm-up and after the measured Gets,
// while no Get is in progress. Of a run that finds its own length, these are the Gets that are measured in the end.
type Observer interface {
	WarmedUp(engine.DB)
	Measured(db engine.DB, gets int64, took time.Duration)
}

// plan is what a run does, decided before its first operation and not changed after it.
type plan struct {
	Options
	ends    ending // of the measured Gets
	minGets int64  // of a window of the steady rule
	// uniform: all keys of the database are equally popular, so that the state of a cache is steady soon after it was filled.
	uniform bool
	// mostChosen bounds the warm-up's Gets of chosen keys; nil: as many as it needs.
	mostChosen *int64
}

// ending says when measured Gets end: after gets of them or, if that is 0, once they show whether the run is steady.
type ending struct {
	gets   int64
	window int64 // Gets of a window of a run that finds its own length
	most   int64 // Gets of such a run, with those that become part of the warm-up
}

// given reports whether the number of Gets does not depend on what they show.
func (e ending) given() bool { return e.gets > 0 }

// A run without a given number of Gets is measured in windows. windowsPerMin of them have the Gets that
// a window of the steady rule needs, and windowsPerRound, or fewer, as many as there are index blocks.
const (
	windowsPerMin   = 4
	windowsPerRound = 4
)

// A measured run is split into measuredWindows windows for its confidence interval, or into
// fewer of windowFloor Gets.
const (
	measuredWindows = 20
	windowFloor     = 1_000
)

// newPlan plans a run on a tree of the given shape.
func newPlan(s *lsm.Shape, o Options) *plan {
	// Several records of an operation count, but a window has windowFloor operations at least.
	minGets := max(s.MinWindowGets()/o.EachRecords(), windowFloor)
	p := &plan{Options: o, minGets: minGets, ends: ending{gets: o.Gets, window: max(minGets/windowsPerMin, s.IndexBlocks()/windowsPerRound, 1)}}
	usual := max(DefaultGets(s)/o.EachRecords(), measuredWindows*windowFloor)
	// Scans, Gets at a rate and further runs are not watched for what they show.
	if o.Gets == 0 && (!o.Kind.IsGet() || o.Rate > 0 || o.MoreRuns > 0) {
		p.ends.gets = usual
	}
	p.ends.most = 2 * usual // in a large tree, enough to measure again after a drift
	return p
}

// DefaultGets returns the default number of measured Gets: enough for five windows of twice
// the minimum length that the steady rule needs.
func DefaultGets(s *lsm.Shape) int64 { return max(1_000_000, 10*s.MinWindowGets()) }

// VerdictGets returns the minimum number of Gets with which the steady rule can judge a run on
// each of the stores.
func VerdictGets(stores ...engine.Store) (gets int64) {
	for _, s := range stores {
		gets = max(gets, steady.Windows*s.Shape().MinWindowGets())
	}
	return gets
}

// check refuses a warm-up of unknown length.
func (p *plan) check(info engine.Info) error {
	if p.Warmup.OfKeys() && p.TotalKeys == 0 {
		return fmt.Errorf("the warm-up is a share of the keys, but the tables of %s do not say how many they hold: choose a number of Gets, or auto", info.Dir)
	}
	return nil
}

// made is what records say of the planned operations, but for their keys. seek: keys are looked up with iterators.
func (p *plan) made(seek bool) record.Made {
	m := record.NewMade(p.Workload)
	if m.Gets = p.ends.gets; seek {
		m.Lookup = record.LookupSeek
	}
	return m
}

// The share of its time that a run may warm up, and the share that its measured Gets leave to the rest.
const (
	warmupShare = 0.5
	spareShare  = 0.05
)

// bounds are when the parts of a run should end. The zero bounds bound nothing.
type bounds struct {
	warmup, measured time.Time
	// repeated is the expected duration of repeating one measured Get without a cache; 0 if Gets are not repeated.
	repeated time.Duration
}

// boundsUntil divides the time until a run should end.
func boundsUntil(until time.Time) (b bounds) {
	if until.IsZero() {
		return b
	}
	left := time.Until(until)
	b.warmup = time.Now().Add(time.Duration(warmupShare * float64(left)))
	b.measured = until.Add(-time.Duration(spareShare * float64(left)))
	return b
}

// passes reports whether it will be later than until in the given time. The zero Time never comes.
func passes(until time.Time, in time.Duration) bool {
	return !until.IsZero() && time.Now().Add(in).After(until)
}
