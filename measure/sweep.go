package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
	"getio/workload/trace"
)

// Sweep measures the same Gets of one database at several cache sizes, each with a fresh open.
type Sweep struct {
	Database *database.Database
	// Options are those of each run. All should end by Options.Until.
	Options
	Trace  *trace.File // whose operations are repeated; nil if the keys are not a trace's
	Caches []engine.OpenConfig
	// Done holds results of an earlier sweep. A cache for which it has a result of the same run
	// is not measured again.
	Done []*record.Result
	// Each is called with each result. measured is false if it was taken from Done.
	Each func(r *record.Result, measured bool) error
	// Whole adds up the stages of all runs; nil if they are those of the sweep.
	Whole *Whole
}

// sweeping is a sweep in progress.
type sweeping struct {
	*Sweep
	gets       keysource.Sequence // which all runs share: their keys are drawn once; nil before the first
	lent       bool               // gets belong to an alternation
	sample     *splitSample       // which all runs share, too
	sampled    *workload.Keys     // keys of the sampled Gets, if they differ
	mostChosen *int64             // as in plan
	whole      *Whole
	begun      time.Time
}

// measure measures one cache.
func (s *sweeping) measure(ctx context.Context, cache engine.OpenConfig, until time.Time) (*record.Result, error) {
	gets, err := s.keys()
	if err != nil {
		return nil, err
	}
	if cache.Memtables == 0 {
		cache.Memtables = s.Trace.Memtables(cache.CacheBytes)
	}
	r, err := s.plan(until).measure(ctx, s.Database.Store, cache, gets, s.sample)
	if err != nil {
		return nil, err
	}
	s.whole.Finish()
	s.Database.Description(s.Keys)(r)
	return r, nil
}

// plan plans a run that should end by a time. Its progress is that of all runs.
func (s *sweeping) plan(until time.Time) *plan {
	p := s.Sweep.plan()
	p.Until, p.mostChosen = until, s.mostChosen
	if progress := s.Progress; progress != nil {
		p.Progress = func(stage Stage) {
			expected := p.expectedEffort(s.Database.Store.Shape(), stage.CacheBytes, s.sample.taken)
			stage.Share = max(s.whole.Add(p.effort(stage), expected), s.shareOfTime())
			progress(stage)
		}
	}
	return p
}

// shareOfTime is how much of the time has passed within which the sweep ends; 0 if nothing bounds it.
func (s *sweeping) shareOfTime() float64 {
	if s.Until.IsZero() {
		return 0
	}
	return min(float64(time.Since(s.begun))/float64(s.Until.Sub(s.begun)), mostUnfinished)
}

// plan plans a run on the database.
func (s *Sweep) plan() *plan {
	p := newPlan(s.Database.Store.Shape(), s.Options)
	p.TotalKeys, p.uniform = s.Database.Keys(), s.EquallyPopular()
	return p
}

// keys returns the Gets of all runs.
func (s *sweeping) keys() (_ keysource.Sequence, err error) {
	if s.gets == nil {
		s.gets, err = s.sequence(s.Keys)
	}
	return s.gets, err
}

// sequence returns Gets of the given keys, or those of the trace.
func (s *Sweep) sequence(keys workload.Keys) (keysource.Sequence, error) {
	if s.Trace != nil {
		return keysource.Traced(s.Trace)
	}
	return s.Database.Gets(keys)
}

func (s *sweeping) close() {
	if s.gets != nil && !s.lent {
		s.gets.Close()
	}
}
