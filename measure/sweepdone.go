package measure

import (
	"maps"

	"getio/engine"
	"getio/engine/readpath"
	"getio/record"
	"getio/system/device"
)

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
	want := &record.Result{Workload: o.workload(cache.LastLevelFilters)}
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
