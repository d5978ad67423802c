package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/record"
)

// Run measures every cache in turn and returns the results in that order.
func (s *Sweep) Run(ctx context.Context) ([]*record.Result, error) {
	w := s.begin(s.wholeOf(len(s.Caches)))
	defer w.close()
	return w.run(ctx)
}

// One measures one cache.
func (s *Sweep) One(ctx context.Context, cache engine.OpenConfig) (*record.Result, error) {
	w := s.begin(s.wholeOf(1))
	defer w.close()
	return w.measure(ctx, cache, s.Until)
}

// begin begins a sweep whose runs are part of a whole.
func (s *Sweep) begin(whole *Whole) *sweeping {
	return &sweeping{Sweep: s, sample: &splitSample{}, whole: whole, begun: time.Now()}
}

// wholeOf is what runs of the sweep are part of.
func (s *Sweep) wholeOf(runs int) *Whole {
	if s.Whole != nil {
		return s.Whole
	}
	return NewWhole(runs)
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
		*s.sample = s.plan(until).commonSample(gets)
	}
	return s.measure(ctx, cache, until)
}
