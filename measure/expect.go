package measure

import (
	"context"
	"runtime"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/system/cputime"
	"getio/system/device"
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
	s.Options = s.Options.complete(s.Database.Store.Shape())
	defer s.closeKeys()
	shape, o := s.expectedOptions()
	sampled, err := s.expectedSample(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, cache := range s.Caches {
		least, most := o.leastGets(shape, cache.CacheBytes), o.mostGets(shape, cache.CacheBytes)+int64(o.MoreRuns)*o.Gets
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
	probe := *s
	probe.left, probe.gets = 0, nil
	probe.Whole, probe.Expecting = &Whole{}, nil
	warmup := min(int64(partWarmup*float64(least)), partWarmupGets)
	probe.Options = Options{
		Operation: s.Options.Operation, Workers: s.Options.Workers, NoSplit: true,
		Warmup: WarmupGets(warmup), Gets: max(min(int64(partTimed*float64(least)), partTimedGets), 1),
	}
	model := cache.Device.Model()
	cache.Device = nil // only processor time counts
	spent := cputime.StartTimer()
	r, err := probe.One(ctx, cache)
	if err != nil {
		return e, err
	}
	whole := spent().CPU
	made := warmup + probe.Options.Gets
	each := time.Duration(r.CPUusPerGet * float64(time.Microsecond))
	if s.Database.Manifest == nil { // their keys are drawn from the tables, and looked up first
		each = max(each, whole/time.Duration(made))
	}
	e.Least, e.Most = whole+each*time.Duration(max(least-made, 0)), whole+each*time.Duration(max(most-made, 0))
	e.Waiting = s.Options.waiting(s.Database.Store.Shape(), model, r.IOsPerGet.Mean)
	return e, nil
}

// waiting returns how long the measured Gets take at least by the clock with a modelled device.
func (o Options) waiting(s *lsm.Shape, model device.Model, readsPerGet float64) (least time.Duration) {
	gets := float64(o.commonSample(s, nil).n)
	if o.Rate > 0 {
		least = seconds(gets / float64(o.Rate))
	}
	if model.IOPS > 0 {
		least = max(least, seconds(gets*readsPerGet/float64(model.IOPS)))
	}
	return max(least, time.Duration(gets*readsPerGet*float64(model.Latency)/float64(max(o.Workers, 1))))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// expectedSample returns about how much processor time the sample for the split takes.
func (s *Sweep) expectedSample(ctx context.Context, o Options) (time.Duration, error) {
	took, exact, err := s.trial(ctx, o, 0)
	if exact || err != nil {
		return 0, err
	}
	gets := s.Options.commonSample(s.Database.Store.Shape(), nil).n
	if !o.ExactSplit {
		gets = min(gets, sampleGets)
	}
	return time.Duration(float64(took) * float64(gets) / trialGets), nil
}

func (s *Sweep) expectedOptions() (*lsm.Shape, Options) {
	o := s.Options
	o.Keys, o.uniform = s.Database.Keys(), s.Keys.EquallyPopular()
	return s.Database.Store.Shape(), o
}

// Concurrency is how many processors a run with so many workers keeps busy here.
func Concurrency(workers int) int { return min(max(workers, 1), runtime.GOMAXPROCS(0)) }

// expect begins the progress of all runs, and makes a few Gets to see how long the runs will take.
// Processor time is what counts: these Gets find their blocks in the page cache more rarely than others.
func (s *Sweep) expect(ctx context.Context, caches []engine.OpenConfig) error {
	shape, o := s.expectedOptions()
	var least, most int64 // Gets
	for _, cache := range caches {
		if s.done(cache) == nil {
			least += o.leastGets(shape, cache.CacheBytes)
			most += o.mostGets(shape, cache.CacheBytes)
		}
	}
	if s.Whole == nil {
		s.Whole = NewWhole(len(caches), shape, o, caches[0].CacheBytes)
	}
	if s.Expecting == nil || most == 0 {
		return nil
	}
	took, _, err := s.trial(ctx, o, caches[0].CacheBytes)
	if err != nil {
		return err
	}
	take := func(gets int64) time.Duration {
		return time.Duration(float64(took) * float64(gets) / trialGets / float64(Concurrency(o.Workers)))
	}
	s.Expecting(take(least), take(most), s.Until)
	return nil
}

// trial returns the processor time of trialGets Gets with a cache, and whether the engine splits their
// accesses exactly.
func (s *Sweep) trial(ctx context.Context, o Options, cacheBytes int64) (took time.Duration, exact bool, err error) {
	gets, err := s.keys()
	if err != nil {
		return 0, false, err
	}
	db, err := s.Database.Store.Open(engine.OpenConfig{CacheBytes: cacheBytes, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return 0, false, err
	}
	defer db.Close()
	keys := o.Operation.keys()
	n := int64(trialGets)
	if o.Gets > 0 {
		n = min(n, max(o.Gets/2, 1)) // a trace may have no more
	}
	for part := range int64(2) { // the first opens tables
		spent := cputime.StartTimer()
		if err := gets.Prepare(ctx, part*n*keys, n*keys); err != nil {
			return 0, false, err
		}
		for g := part * n; g < (part+1)*n; g++ {
			key, _ := gets.Key(g*keys, nil)
			if _, _, err := db.Get(key, nil); err != nil {
				return 0, false, getError(key, err)
			}
		}
		took = spent().CPU
	}
	return took * trialGets / time.Duration(n), db.Counts().Accesses.SplitExact, nil
}
