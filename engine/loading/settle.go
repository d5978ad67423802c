package loading

import (
	"context"
	"time"

	"getio/engine"
)

// A tree has settled if settleLooks looks in a row, settlePause apart, find no compaction in
// progress and none completed since the look before. Libraries start the next compaction as
// soon as one completes, so a quiet tree has none due.
const (
	settleLooks = 5
	settlePause = 100 * time.Millisecond
)

// Settle waits until the tree that look describes has settled. report may be nil.
func Settle(ctx context.Context, failures *Failures, report func(engine.SettleProgress), look func() engine.SettleProgress) error {
	tick := time.NewTicker(settlePause)
	defer tick.Stop()
	last := look()
	for quiet := 0; quiet < settleLooks; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failures.Failed():
			failures.Fail(err) // for others that wait for failures
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
