package measure

import (
	"context"
	"runtime"
	"time"

	"getio/engine"
	"getio/system/cputime"
	"getio/tree/lsm"
)

// trialGets is how many Gets are made to see how long one takes.
const trialGets = 500

// Expectation is about how much processor time a run takes, at least and at most.
type Expectation struct{ Least, Most time.Duration }

// Expected returns about how much processor time a run takes with each of the caches. It makes a few Gets
// to see how much one takes.
func (s *Sweep) Expected(ctx context.Context) (runs []Expectation, err error) {
	s.Options = s.Options.complete(s.Database.Store.Shape())
	defer s.closeKeys()
	shape, o := s.expectedOptions()
	sampled, err := s.expectedSample(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, cache := range s.Caches {
		took, _, err := s.trial(ctx, o, cache.CacheBytes)
		if err != nil {
			return nil, err
		}
		take := func(gets int64) time.Duration {
			return sampled + time.Duration(float64(took)*float64(gets)/trialGets)
		}
		most := o.mostGets(shape, cache.CacheBytes) + int64(o.MoreRuns)*o.Gets
		runs = append(runs, Expectation{take(o.leastGets(shape, cache.CacheBytes)), take(most)})
	}
	return runs, nil
}

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
