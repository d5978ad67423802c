package advice

import (
	"context"
	"math"
	"slices"
	"time"

	"getio/engine"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/workload"
)

// measuredGets is the number of Gets of a run on a small database. Runs on others find their own length.
const measuredGets = 400_000

// Measure replaces the computed figures of the present and the advised cache by measured ones, and drops other computed
// figures and changes if they were wrong. It does not measure a sampled trace, nor the present cache of a client whose Gets
// were counted.
func (q *Question) Measure(ctx context.Context, d *database.Database, own *Own, a *record.Advice, workers int, progress measure.Progress) error {
	if own.sampled() {
		return nil
	}
	var measured []*record.AdvisedCache
	sweep := own.sweep(d, workers)
	sweep.Progress = progress
	for _, c := range a.Caches {
		present := slices.Contains(c.Reasons, record.ReasonPresent)
		switch {
		case present && own.Live != nil:
			c.IOsPerGet.Measured = own.Live
		case present, c.Cache.Bytes == a.Answer.CacheBytes, slices.Contains(c.Reasons, record.ReasonTarget), slices.Contains(c.Reasons, record.ReasonWorth):
			measured = append(measured, c)
			// The sizes are without the client's memtables.
			sweep.Caches = append(sweep.Caches, engine.OpenConfig{CacheBytes: c.Cache.Bytes, Memtables: q.Reserved})
		}
	}
	a.Trial = &record.AdviceTrial{Seed: own.Keys.Seed, Live: own.Live != nil, IOsPerGet: own.Live}
	if own.Run.Trace != nil {
		a.Trial.Seed, a.Trial.WarmupGets, a.Trial.Gets = 0, own.Run.Warmup, own.Run.Gets
	}
	began := time.Now()
	if d.Small() && !own.Same {
		sweep.Gets = measuredGets
	}
	i := 0
	sweep.Each = func(r *record.Result, _ bool) error {
		if err := r.Checks.Err(); err != nil {
			return err
		}
		c := measured[i]
		i++
		c.IOsPerGet.Measured, c.PageBytesPerGet = &r.IOsPerGet.Mean, r.PageBytesPerGet
		if a.Trial.WarmupGets, a.Trial.Gets = max(a.Trial.WarmupGets, r.Workload.WarmupGets), max(a.Trial.Gets, r.Workload.Gets); !own.Same {
			c.IOsPerGet.MeasuredCI95 = r.IOsPerGet.CI95
		}
		return nil
	}
	if _, err := sweep.Run(ctx); err != nil {
		return err
	}
	a.Trial.Seconds = time.Since(began).Seconds()
	if len(a.Changes) > 0 && !right(a.Changes[0].Now, &q.focusOf(a.Caches).IOsPerGet) {
		a.Changes = nil
	}
	a.Caches = trusted(a.Caches)
	a.Answer = q.answer(a.Caches)
	return nil
}

// sweep returns the runs that measure these Gets.
func (o *Own) sweep(d *database.Database, workers int) measure.Sweep {
	if o.Same {
		return o.Run.Measured(d, o.Keys)
	}
	return measure.Sweep{Database: d, Options: measure.Options{
		Workload: workload.Workload{Keys: o.Keys, Warmup: workload.AutoWarmup, Workers: workers}, Counted: measure.Counted{NoSplit: true},
	}}
}

// trusted sets the errors of computed figures. It returns all caches if computed and measured figures agree, otherwise the
// measured ones.
func trusted(caches []*record.AdvisedCache) []*record.AdvisedCache {
	all := true
	for _, c := range caches {
		ios := &c.IOsPerGet
		if ios.Measured == nil {
			continue
		}
		if *ios.Measured > 0 {
			ios.Error = new(ios.Predicted / *ios.Measured - 1)
		}
		all = all && right(ios.Predicted, ios)
	}
	if all {
		return caches
	}
	return slices.DeleteFunc(slices.Clone(caches), func(c *record.AdvisedCache) bool { return c.IOsPerGet.Measured == nil })
}

// right reports whether a computed figure agrees with the measured one within its interval.
func right(computed float64, ios *record.AdvisedIOs) bool {
	chance := 0.0
	if ci := ios.MeasuredCI95; ci != nil {
		chance = (ci[1] - ci[0]) / 2
	}
	return math.Abs(computed-ios.Known()) <= max(leastSaving, leastSavingShare*ios.Known())+chance
}
