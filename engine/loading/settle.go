package loading

import (
	"context"
	"time"

	"getio/engine"
)

// A tree is settled when, settleLooks times in a row, settlePause apart, no
// compaction is under way and none has finished since the last look: the
// libraries pick the next compaction as soon as one has finished, so that a
// quiet tree has none due.
const (
	settleLooks = 5
	settlePause = 100 * time.Millisecond
)

// Settle waits until the tree that look describes has settled.
func Settle(ctx context.Context, failures *Failures, report func(engine.SettleProgress), look func() engine.SettleProgress) error {
	tick := time.NewTicker(settlePause)
	defer tick.Stop()
	last := look()
	for quiet := 0; quiet < settleLooks; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failures.Failed():
			failures.Fail(err) // for the loader's caller too
			return err
		case <-tick.C:
		}
		now := look()
		if report != nil {
			report(now)
		}
		if now.Compactions == 0 && now.CompactionsDone == last.CompactionsDone {
			quiet++
		} else {
			quiet = 0
		}
		last = now
	}
	return nil
}
