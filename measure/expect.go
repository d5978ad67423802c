package measure

import (
	"context"
	"runtime"
	"time"

	"getio/engine"
	"getio/system/cputime"
	"getio/system/device"
	"getio/workload"
)

// trialGets is how many Gets are made to see how long one takes.
const trialGets = 500

// Expectation is about how much processor time a run takes, at least and at most.
type Expectation struct {
	Least, Most time.Duration
	// Waiting is how long the measured Gets take at least by the clock, whatever the processors: at a rate, or
	// with a modelled device.
	Waiting time.Duration
}

// Expected returns about how much processor time a run takes with each of the caches. For that, it
// makes a small part of each.
func (s *Sweep) Expected(ctx context.Context) (runs []Expectation, err error) {
	w := &sweeping{Sweep: s}
	defer w.close()
	sampled, err := w.expectedSample(ctx)
	if err != nil {
		return nil, err
	}
	p, shape := s.plan(), s.Database.Store.Shape()
	for _, cache := range s.Caches {
		least, most := p.leastGets(shape, cache.CacheBytes), p.mostGets(shape, cache.CacheBytes)+int64(p.MoreRuns)*p.ends.gets
		e, err := s.part(ctx, cache, least, most)
		if err != nil {
			return nil, err
		}
		e.Least, e.Most = e.Least+sampled, e.Most+sampled
		runs = append(runs, e)
	}
	return runs, nil
}

// Shares of a run's Gets that are made to see how much time one takes, at most so many.
const (
	partWarmup, partWarmupGets = 0.1, 20_000
	partTimed, partTimedGets   = 0.05, 5_000
)

// part makes a part of a run and returns about how much processor time so many Gets take.
func (s *Sweep) part(ctx context.Context, cache engine.OpenConfig, least, most int64) (e Expectation, err error) {
	warmup := min(int64(partWarmup*float64(least)), partWarmupGets)
	timed := max(min(int64(partTimed*float64(least)), partTimedGets), 1)
	of := Sweep{Database: s.Database, Trace: s.Trace, Options: Options{
		Workload: workload.Workload{Keys: s.Keys, Operation: s.Operation, Workers: s.Workers, Warmup: workload.WarmupGets(warmup), Gets: timed},
		Counted:  Counted{NoSplit: true},
	}}
	model := cache.Device.Model()
	cache.Device = nil // only processor time counts
	spent := cputime.StartTimer()
	r, err := of.One(ctx, cache)
	if err != nil {
		return e, err
	}
	whole := spent().CPU
	made := warmup + timed
	each := time.Duration(r.CPUusPerGet * float64(time.Microsecond))
	if s.Database.Manifest == nil { // their keys are drawn from the tables, and looked up first
		each = max(each, whole/time.Duration(made))
	}
	e.Least, e.Most = whole+each*time.Duration(max(least-made, 0)), whole+each*time.Duration(max(most-made, 0))
	e.Waiting = s.plan().waiting(model, r.IOsPerGet.Mean)
	return e, nil
}

// waiting returns how long the measured Gets take at least by the clock with a modelled device.
func (p *plan) waiting(model device.Model, readsPerGet float64) (least time.Duration) {
	gets := float64(p.commonSample(nil).n)
	if p.Rate > 0 {
		least = seconds(gets / float64(p.Rate))
	}
	if model.IOPS > 0 {
		least = max(least, seconds(gets*readsPerGet/float64(model.IOPS)))
	}
	return max(least, time.Duration(gets*readsPerGet*float64(model.Latency)/float64(max(p.Workers, 1))))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// expectedSample returns about how much processor time the sample for the split takes.
func (s *sweeping) expectedSample(ctx context.Context) (time.Duration, error) {
	db, err := s.Database.Store.Open(engine.OpenConfig{MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	took, err := s.trial(ctx, db)
	if err != nil || db.Counts().Accesses.SplitExact { // the library splits them
		return 0, err
	}
	gets := s.Sweep.plan().commonSample(nil).n
	if !s.ExactSplit {
		gets = min(gets, sampleGets)
	}
	return time.Duration(float64(took) * float64(gets) / trialGets), nil
}

// Concurrency is how many processors a run with so many workers keeps busy here.
func Concurrency(workers int) int { return min(max(workers, 1), runtime.GOMAXPROCS(0)) }

// trial returns the processor time of trialGets Gets of a database whose cache has none of their blocks, or those that
// drawing their keys left there.
func (s *sweeping) trial(ctx context.Context, db engine.Lookups) (took time.Duration, err error) {
	gets, err := s.keys()
	if err != nil {
		return 0, err
	}
	keys := s.EachKeys()
	n := int64(trialGets)
	if s.Gets > 0 {
		n = min(n, max(s.Gets/2, 1)) // a trace may have no more
	}
	for part := range int64(2) { // the first opens tables
		spent := cputime.StartTimer()
		if err := gets.Prepare(ctx, part*n*keys, n*keys); err != nil {
			return 0, err
		}
		for g := part * n; g < (part+1)*n; g++ {
			key, _ := gets.Key(g*keys, nil)
			if _, _, err := db.Get(key, nil); err != nil {
				return 0, getError(key, err)
			}
		}
		took = spent().CPU
	}
	return took * trialGets / time.Duration(n), nil
}
