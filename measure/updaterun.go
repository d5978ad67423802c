package measure

import (
	"context"
	"fmt"
	"strings"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/load"
	"getio/measure/keysource"
	"getio/numbers/units"
	"getio/record"
)

// UpdateRun is a measurement of Gets during updates. After an undisturbed warm-up, updates begin
// and end with the measured Gets. Reads are attributed to Gets by the thread on which they are
// made.
type UpdateRun struct {
	// Info and Shape are those of the settled database before the updates.
	Info  engine.Info
	Shape *lsm.Shape

	plan  *plan
	whose *attribution
}

// NewUpdateRun prepares a measurement.
func NewUpdateRun(info engine.Info, shape *lsm.Shape, opts Options) (*UpdateRun, error) {
	if opts.Gets == 0 {
		opts.Gets = DefaultGets(shape)
	}
	u := &UpdateRun{Info: info, Shape: shape, plan: newPlan(shape, opts), whose: newAttribution()}
	return u, u.plan.check(info)
}

// Trace must be the Trace of the engine.OpenConfig that opens the database.
func (u *UpdateRun) Trace(r engine.TableRead) { u.whose.read(r) }

// Measure measures the Gets of a database whose tree has settled.
func (u *UpdateRun) Measure(ctx context.Context, db engine.UpdatingDB, updates Updates, gets keysource.Sequence) (*record.Result, error) {
	r := &run{
		plan: u.plan, db: db, attribution: u.whose, gets: gets, cache: db.Cache().Bytes,
		shared: &shared{db: db, whose: u.whose, updates: updates},
	}
	s := r.shared
	before := s.snapshot()
	if err := r.warmUp(ctx, nil); err != nil {
		return nil, err
	}
	s.began = s.snapshot()
	if err := updates.Start(ctx); err != nil {
		return nil, err
	}
	m, err := r.measureAll(ctx)
	if err != nil {
		return nil, err
	}
	if err := updates.Stop(); err != nil {
		return nil, err
	}
	s.ended = s.snapshot()
	counts := r.counts()
	checks := db.Check(counts)
	distribution := r.distribution()
	if distribution != nil {
		checks = append(checks, checkOwnDistribution(distribution, r.phase.gets, counts.Reads))
	}
	if err := updates.Settle(ctx); err != nil {
		return nil, err
	}
	s.settled = s.snapshot()
	s.gets = r.allOwn()
	checks = append(checks, s.checkAttribution(before))
	checks = append(checks, db.CheckInterval(engine.UpdateInterval{
		Total: s.settled.counts.Sub(before.counts), Gets: s.gets, Activity: s.settled.activity.Sub(before.activity),
	})...)
	result := newResult(u.Info, u.Shape, db.Cache(), counts, checks)
	result.Cached, result.SharedLoads = nil, nil // they include background reads
	if distribution != nil {
		distribution.UnattributedReads = s.ended.unattributed.Sub(s.began.unattributed).Count.Sum()
		result.Distribution = distribution
	}
	r.describe(result, m)
	result.Updates = s.record()
	result.Warnings = append(result.Warnings, s.warnings()...)
	return result, nil
}

// checkOwnDistribution compares the reads of single Gets with those of all Gets.
func checkOwnDistribution(d *record.Distribution, gets int64, own readpath.Reads) readpath.Check {
	return readpath.Check{
		Name: "distribution", OK: d.Gets() == gets && d.Reads() == own.Count.Sum(),
		Detail: fmt.Sprintf("%d Gets of %d with %d reads, of %d reads of Gets", d.Gets(), gets, d.Reads(), own.Count.Sum()),
	}
}

const (
	fastestPace = "max"      // what ParsePace calls as many updates as can be made
	mostPace    = 10_000_000 // more than any library takes
)

// ParsePace parses how many keys are overwritten a second, such as 20k, or max.
func ParsePace(s string) (*load.Pace, error) {
	if s == fastestPace {
		return new(load.Pace), nil
	}
	n, err := units.ParseCount(strings.TrimPrefix(s, "-"))
	if err == nil && (s[0] == '-' || n < 1 || n > mostPace) {
		err = fmt.Errorf("out of range, want 1 to %d", mostPace)
	}
	if err != nil {
		return nil, fmt.Errorf("%w, or %s", err, fastestPace)
	}
	return new(load.Pace(n)), nil
}
