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
)

// Sweep measures the same Gets of one database at several cache sizes, each with a fresh open.
type Sweep struct {
	Database *database.Database
	Keys     database.KeySource
	Caches   []engine.OpenConfig
	Options  Options
	// Done holds results of an earlier sweep. A cache for which it has a result of the same run
	// is not measured again.
	Done []*record.Result
	// Each is called with each result. measured is false if it was taken from Done.
	Each func(r *record.Result, measured bool) error

	// Until is when the sweep should end; the zero Time does not bound it.
	Until time.Time

	// Expecting, if set, is called before the first run that is made with about how long all will take.
	Expecting func(least, most time.Duration, until time.Time)
	// Whole adds up the Gets of all runs; nil if they are those of the sweep.
	Whole *Whole

	sample  splitSample
	sampled *database.KeySource // keys of the sampled Gets, if they differ from Keys
	left    int                 // runs, this one included; 0 outside Run
	gets    keysource.Sequence
	lent    bool // gets belong to an alternation
}

// Run measures every cache in turn and returns the results in that order.
func (s *Sweep) Run(ctx context.Context) ([]*record.Result, error) {
	s.Options = s.Options.complete(s.Database.Store.Shape())
	defer s.closeKeys()
	if err := s.expect(ctx, s.Caches); err != nil {
		return nil, err
	}
	var results []*record.Result
	for i, cache := range s.Caches {
		s.left = len(s.Caches) - i
		r := s.done(cache)
		measured := r == nil
		if measured {
			var err error
			if r, err = s.One(ctx, cache); err != nil {
				return results, err
			}
		}
		if !measured {
			s.Whole.Finish()
		}
		results = append(results, r)
		if err := s.Each(r, measured); err != nil {
			return results, err
		}
	}
	return results, nil
}

// One measures one cache.
func (s *Sweep) One(ctx context.Context, cache engine.OpenConfig) (*record.Result, error) {
	if s.left == 0 {
		defer s.closeKeys()
		if err := s.expect(ctx, []engine.OpenConfig{cache}); err != nil {
			return nil, err
		}
	}
	gets, err := s.keys()
	if err != nil {
		return nil, err
	}
	opts := s.Options
	if !s.Until.IsZero() {
		opts.Until = time.Now().Add(time.Until(s.Until) / time.Duration(max(s.left, 1)))
	}
	opts.Keys = s.Database.Keys()
	if cache.Memtables == 0 {
		cache.Memtables = s.Keys.Trace.Memtables(cache.CacheBytes)
	}
	opts.sample, opts.uniform = &s.sample, s.Keys.EquallyPopular()
	if s.left > 0 && !s.sample.taken {
		sampled, err := s.sampledGets()
		if err != nil {
			return nil, err
		}
		if s.sampled != nil {
			defer sampled.Close()
		}
		s.sample = opts.commonSample(s.Database.Store.Shape(), sampled)
	}
	if progress := s.Options.Progress; progress != nil {
		opts.Progress = func(stage Stage) {
			stage.All, stage.OfAll = s.Whole.Add(stage)
			progress(stage)
		}
	}
	r, err := Measure(ctx, s.Database.Store, cache, gets, opts)
	if err != nil {
		return nil, err
	}
	s.Whole.Finish()
	s.Database.Description(s.Keys)(r)
	return r, nil
}

// keys returns the Gets, which all runs share: their keys are drawn once.
func (s *Sweep) keys() (_ keysource.Sequence, err error) {
	if s.gets == nil {
		s.gets, err = s.Database.Gets(s.Keys)
	}
	return s.gets, err
}

// sampledGets returns the Gets from which the runs share a sample.
func (s *Sweep) sampledGets() (keysource.Sequence, error) {
	if s.sampled == nil {
		return s.keys()
	}
	return s.Database.Gets(*s.sampled)
}

func (s *Sweep) closeKeys() {
	if s.gets != nil && !s.lent {
		s.gets.Close()
		s.gets = nil
	}
	s.left = 0
}

// done returns the result of the same run with the given cache, or nil if there is none.
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
	info, o := s.Database.Store.Info(), s.Options
	want := &record.Result{}
	s.Database.Description(s.Keys)(want)
	w := want.Workload
	w.Workers, w.WarmupRule, w.Gets = o.Workers, o.Warmup.String(), o.Gets
	w.WarmupGets, w.WarmupChosenGets = r.Workload.WarmupGets, r.Workload.WarmupChosenGets
	if o.sequential() {
		if w.Gets = r.Workload.Gets; r.Workload.GetsRule == "" && w.Gets < o.defaultGets(s.Database.Store.Shape()) || r.IOsPerGet.EndedBy == record.EndedByTime {
			return false
		}
		w.GetsRule = r.Workload.GetsRule
	}
	if o.Warmup.agreed {
		w.WarmupGets = w.WarmupChosenGets + o.Warmup.gets
	}
	if cache.LastLevelFilters {
		w.Lookup = record.LookupSeek
	}
	if !o.Operation.Kind.IsGet() {
		w.Operation, w.KeysPerOperation = o.Operation.Name(), o.Operation.Records
	}
	if s.Keys.Trace != nil {
		w.HitFraction = r.Workload.HitFraction // counted
	}
	return r.Workload == w && r.Updates == nil &&
		r.Engine.Name == info.Engine && r.Engine.Version == info.Version && maps.Equal(r.Engine.Options, want.Engine.Options) &&
		s.Database.Matches(r, s.Keys) &&
		(!o.ExactSplit || r.Components[readpath.Index.String()].Split == record.SplitExact) &&
		(!o.Distribution || r.Distribution != nil) && sameLatency(r.Latency, o) &&
		(r.EndsSteady() || len(r.Continued) >= o.MoreRuns)
}

// sameLatency reports whether Gets were timed as the options require, and due at the same rate.
func sameLatency(l *record.Latency, o Options) bool {
	if l == nil {
		return !o.Latency && o.Rate == 0
	}
	return l.Rate == o.Rate
}
