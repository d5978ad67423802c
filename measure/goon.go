package measure

import (
	"context"
	"fmt"

	"getio/numbers/steady"
	"getio/record"
	"getio/tree/readpath"
)

// goOn makes further runs of as many Gets as the result is of, with the cache as
// it is by now, until one is steady or there were as many as the options allow.
// What they accessed is shared out as the result's own accesses were.
func (r *run) goOn(ctx context.Context, result *record.Result, windows []steady.Window, like readpath.Accesses) error {
	for !result.EndsSteady() && len(result.Continued) < r.opts.GoOn {
		n := len(result.Continued) + 1
		from := r.next
		own, err := r.measure(ctx, Stage{Phase: PhaseGoOn, Part: n, Parts: r.opts.GoOn}, &notes{})
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
			GetsBefore: from, Gets: r.opts.Gets,
			Components: record.Components(counts.Reads, counts.Accesses), Cached: blockCache(counts),
			IOsPerGet: r.iosPerGet(own, windows),
		}
		c.BytesPerGet = bytesPerGet(c.Components, c.Gets)
		result.Continued = append(result.Continued, c)
	}
	return nil
}
