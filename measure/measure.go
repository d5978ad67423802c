// Package measure makes the Gets of a run, from the warm-up to the last window, and turns their
// counts into a result with confidence interval, steadiness and self-checks.
package measure

import (
	"context"
	"fmt"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/numbers/steady"
	"getio/record"
)

// Measure opens the store with the given cache and measures the Gets. The result includes the
// self-checks: a failed check invalidates the result, but is not an error. A Get that fails, that
// misses an existing key or that finds an absent one is an error.
func Measure(ctx context.Context, s engine.Store, open engine.OpenConfig, gets keysource.Sequence, opts Options) (*record.Result, error) {
	return newPlan(s.Shape(), opts).measure(ctx, s, open, gets, &splitSample{})
}

// measure makes the run. A sample is taken, if the split needs one, unless it is there.
func (p *plan) measure(ctx context.Context, s engine.Store, open engine.OpenConfig, gets keysource.Sequence, sample *splitSample) (*record.Result, error) {
	if err := p.check(s.Info()); err != nil {
		return nil, err
	}
	var whose *attribution
	if p.Distribution {
		whose = newAttribution()
		open.Trace = whose.read
	}
	open.Operation = p.Operation.Kind
	open.Device.Slow(false)
	db, err := s.Open(open)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	r := &run{plan: p, db: db, cache: db.Cache().Bytes, seek: open.LastLevelFilters, gets: gets, layers: newLayers(s, open.Device), attribution: whose}
	if err := r.order(s); err != nil {
		return nil, err
	}
	if err := r.allot(ctx, s); err != nil {
		return nil, err
	}
	if err := r.warmUp(ctx, s); err != nil {
		return nil, err
	}
	if p.Observe != nil {
		p.Observe.WarmedUp(db)
	}
	open.Device.Slow(true)
	m, err := r.measureAll(ctx)
	if err != nil {
		return nil, err
	}
	if p.Observe != nil {
		p.Observe.Measured(db, r.phase.gets, r.phase.spent.Wall)
	}
	return r.result(ctx, s, m, sample)
}

// result makes the record of the measured Gets, and further runs if the workload allows them and the first is not steady.
func (r *run) result(ctx context.Context, s engine.Store, m measured, sample *splitSample) (*record.Result, error) {
	counts := r.counts()
	checks := append(r.db.Check(counts), r.layers.check(counts)...)
	distribution := r.distribution()
	if distribution != nil {
		checks = append(checks, checkDistribution(distribution, r.phase.gets, counts))
	}
	accesses, more, err := r.split(ctx, s, counts.Accesses, m.warmup, sample)
	if err != nil {
		return nil, err
	}
	counts.Accesses = accesses
	result := newResult(s.Info(), s.Shape(), r.db.Cache(), counts, append(checks, more...))
	result.Distribution = distribution
	r.describe(result, m)
	if err := r.continueUntilSteady(ctx, result, m.windows, accesses); err != nil {
		return nil, err
	}
	return result, nil
}

// continueUntilSteady makes further runs with the same number of Gets and the cache as it is, until
// one is steady or MoreRuns are made. Their accesses are split in the proportions of like.
func (r *run) continueUntilSteady(ctx context.Context, result *record.Result, windows []steady.Window, like readpath.Accesses) error {
	for !result.EndsSteady() && len(result.Continued) < r.plan.MoreRuns {
		n := len(result.Continued) + 1
		from := r.made()
		own, err := r.measure(ctx, Stage{Phase: PhaseContinue, Part: n, Parts: r.plan.MoreRuns}, &recorder{})
		if err != nil {
			return err
		}
		windows = append(windows, own...)
		counts := r.counts()
		for _, c := range r.db.Check(counts) {
			c.Name = fmt.Sprintf("continued_%d_%s", n, c.Name)
			result.Checks = append(result.Checks, c)
		}
		counts.Accesses = r.splitLike(counts.Accesses, like)
		c := record.Continuation{
			GetsBefore: from, Gets: r.phase.gets,
			Components: record.Components(counts.Reads, counts.Accesses), Cached: blockCache(counts),
			IOsPerGet: r.iosPerGet(own, windows),
		}
		c.BytesPerGet, c.PageBytesPerGet = bytesPerGet(c.Components, c.Gets), r.pageBytesPerGet()
		c.BytesWindows = record.SetWindows(c.Components, r.phase.windowReads)
		result.Continued = append(result.Continued, c)
	}
	return nil
}
