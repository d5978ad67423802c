package measure

import (
	"context"
	"maps"
	"time"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/system/device"
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

	sample splitSample // of the alternations of which the sweep is a side
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

// Run measures every cache in turn and returns the results in that order.
func (s *Sweep) Run(ctx context.Context) ([]*record.Result, error) {
	w := s.begin(len(s.Caches))
	defer w.close()
	return w.run(ctx)
}

// One measures one cache.
func (s *Sweep) One(ctx context.Context, cache engine.OpenConfig) (*record.Result, error) {
	w := s.begin(1)
	defer w.close()
	return w.measure(ctx, cache, s.Until)
}

// begin begins a sweep of so many runs.
func (s *Sweep) begin(runs int) *sweeping {
	whole := s.Whole
	if whole == nil {
		whole = NewWhole(runs)
	}
	return &sweeping{Sweep: s, sample: &splitSample{}, whole: whole, begun: time.Now()}
}

func (s *sweeping) run(ctx context.Context) (results []*record.Result, err error) {
	for i, cache := range s.Caches {
		r := s.done(cache)
		measured := r == nil
		if measured {
			r, err = s.withCommonSample(ctx, cache, s.share(len(s.Caches)-i))
		} else {
			s.whole.Finish()
		}
		if err != nil {
			return results, err
		}
		results = append(results, r)
		if err := s.Each(r, measured); err != nil {
			return results, err
		}
	}
	return results, nil
}

// share returns when the next of so many runs should end.
func (s *sweeping) share(left int) time.Time {
	if s.Until.IsZero() {
		return s.Until
	}
	return time.Now().Add(time.Until(s.Until) / time.Duration(left))
}

// withCommonSample measures one cache. Its sample, if the first, is one for all caches.
func (s *sweeping) withCommonSample(ctx context.Context, cache engine.OpenConfig, until time.Time) (*record.Result, error) {
	if !s.sample.taken {
		gets, err := s.keys()
		if s.sampled != nil && err == nil {
			if gets, err = s.sequence(*s.sampled); err == nil {
				defer gets.Close()
			}
		}
		if err != nil {
			return nil, err
		}
		*s.sample = s.Sweep.plan().commonSample(gets)
	}
	return s.measure(ctx, cache, until)
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

// done returns the result of the same run with the given cache; nil if it has not been made yet.
func (s *Sweep) done(cache engine.OpenConfig) *record.Result {
	for _, r := range s.Done {
		if r.Cache.Bytes == cache.CacheBytes && s.same(r, cache) && r.Checks.Hold() && sameDevice(r, cache.Device) && s.sameShards(r, cache) {
			return r
		}
	}
	return nil
}

// sameShards reports whether the library divides the cache into as many shards in this process
// as the result's cache had.
func (s *Sweep) sameShards(r *record.Result, cache engine.OpenConfig) bool {
	cache.Device = nil // only the run drops the page cache
	db, err := s.Database.Store.Open(cache)
	if err != nil {
		return false
	}
	defer db.Close()
	return db.Cache().Shards == r.Cache.Shards
}

// sameDevice reports whether a result's reads reached the device in the same way.
func sameDevice(r *record.Result, way *device.Layer) bool {
	want := modelled(way.Model())
	if got := r.Device.Modelled; got != nil && want != nil {
		want.GetsPerSecond = got.GetsPerSecond
		return r.Device.PageCache == string(way.PageCache()) && *got == *want
	}
	return r.Device.PageCache == string(way.PageCache()) && want == r.Device.Modelled
}

// same reports whether a result is for the sweep's database, configuration and Gets.
func (s *Sweep) same(r *record.Result, cache engine.OpenConfig) bool {
	info, o := s.Database.Store.Info(), s.plan()
	want := &record.Result{Workload: o.made(cache.LastLevelFilters)}
	s.Database.Description(s.Keys)(want)
	w := want.Workload
	w.WarmupGets, w.WarmupChosenGets = r.Workload.WarmupGets, r.Workload.WarmupChosenGets
	if !o.ends.given() {
		if w.Gets = r.Workload.Gets; r.Workload.GetsRule == "" && 2*w.Gets < o.ends.most || r.IOsPerGet.EndedBy == record.EndedByTime {
			return false
		}
		w.GetsRule = r.Workload.GetsRule
	}
	if o.Warmup.Agreed() {
		w.WarmupGets = w.WarmupChosenGets + o.Warmup.Gets(0)
	}
	if s.Trace != nil {
		w.HitFraction = r.Workload.HitFraction // counted
	}
	return r.Workload == w && r.Updates == nil &&
		r.Engine.Name == info.Engine && r.Engine.Version == info.Version && maps.Equal(r.Engine.Options, want.Engine.Options) &&
		s.Database.Matches(r, s.Keys) &&
		(!o.ExactSplit || r.Components[readpath.Index.String()].Split == record.SplitExact) &&
		(!o.Distribution || r.Distribution != nil) && sameLatency(r.Latency, o.Options) &&
		(r.EndsSteady() || len(r.Continued) >= o.MoreRuns)
}

// sameLatency reports whether Gets were timed as the options require, and due at the same rate.
func sameLatency(l *record.Latency, o Options) bool {
	if l == nil {
		return !o.Latency && o.Rate == 0
	}
	return l.Rate == o.Rate
}
