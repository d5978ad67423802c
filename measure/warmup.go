package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/numbers/steady"
)

// Bounds of an automatic warm-up, in windows. A run that is not steady after maxWarmupWindows
// is measured anyway, and reported as not steady.
const (
	minWarmupWindows = 10
	maxWarmupWindows = 400
	keptWindows      = 40 // more are merged in pairs
)

// settled reports whether the second half of a warm-up is steady. The first half includes the
// cold cache.
func settled(windows []steady.Window, minGets, gets int64) bool {
	drift, ok := steady.DriftOf(windows[len(windows)/2:], minGets, gets)
	return ok && drift.Steady()
}

// warmUp makes the Gets before the measured ones. s may be nil if keys are not to be chosen.
func (r *run) warmUp(ctx context.Context, s engine.Store) error {
	r.begin(r.unmeasuredRecorder())
	if r.choosesKeys() {
		if err := r.warmByChosenKeys(ctx, s); err != nil {
			return err
		}
	}
	if !r.plan.Warmup.Auto() {
		n := r.plan.Warmup.Gets(r.plan.TotalKeys)
		_, err := r.window(ctx, n, Stage{Phase: PhaseWarmUp, Done: r.chosen, Total: r.chosen + n})
		return err
	}
	var windows []steady.Window
	size := r.plan.minGets
	most := maxWarmupWindows * r.plan.minGets
	for r.next < most {
		r.filled = r.fills() && r.bytesRead() >= r.cache
		w, timeUp, err := r.warmUpWindow(ctx, size)
		if err != nil || r.filled || timeUp {
			return err
		}
		windows = append(windows, w)
		if len(windows) >= minWarmupWindows && settled(windows, r.plan.minGets, r.next) {
			return nil
		}
		if len(windows) == keptWindows {
			windows, size = steady.Halve(windows), 2*size
		}
	}
	return nil
}

// warmUpParts is the number of parts of a window after which a warm-up may end because time is up.
const warmUpParts = 4

// warmUpWindow makes a window of the warm-up, or the part of it for which there is time.
func (r *run) warmUpWindow(ctx context.Context, size int64) (all steady.Window, timeUp bool, err error) {
	parts := int64(1)
	if !r.bounds.warmup.IsZero() {
		parts = warmUpParts
	}
	for i := int64(0); i < parts && !timeUp; i++ {
		start := time.Now()
		w, err := r.window(ctx, (i+1)*size/parts-i*size/parts, Stage{Phase: PhaseWarmUp, Done: r.made()})
		if err != nil {
			return all, false, err
		}
		all.Gets, all.Reads = all.Gets+w.Gets, all.Reads+w.Reads
		timeUp = passes(r.bounds.warmup, time.Since(start))
	}
	return all, timeUp, nil
}
