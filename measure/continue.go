package measure

import (
	"context"
	"fmt"

	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/record"
)

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
		c.BytesPerGet, c.BytesWindows = bytesPerGet(c.Components, c.Gets), record.SetWindows(c.Components, r.phase.windowReads)
		result.Continued = append(result.Continued, c)
	}
	return nil
}
