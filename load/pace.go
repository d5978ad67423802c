package load

import (
	"context"
	"time"
)

// Pace is the number of keys overwritten per second, evenly spread; 0 means unthrottled.
type Pace float64

// updaterBatch is the maximum number of updates in a batch: small, like clients' batches.
// LevelDB writes a batch larger than a memtable directly to tables, bypassing log and memtable.
const updaterBatch = 100

// paceTick is the minimum time whose writes are combined into one batch, which has no more
// than updaterBatch writes.
const paceTick = 10 * time.Millisecond

// batch returns the minimum number of writes in a batch.
func (p Pace) batch() uint64 {
	return max(1, min(updaterBatch, uint64(float64(p)*paceTick.Seconds())))
}

// due returns the number of writes due by the given time after the first.
func (p Pace) due(since time.Duration) uint64 {
	return 1 + uint64(float64(p)*since.Seconds())
}

// wait waits until the batch after the given number of writes is due, or the context is done.
// It returns the number of writes in the batch.
func (p Pace) wait(ctx context.Context, began time.Time, written uint64) (uint64, error) {
	if p == 0 {
		return updaterBatch, ctx.Err()
	}
	for {
		since := time.Since(began)
		due := p.due(since)
		if due >= written+p.batch() {
			return min(updaterBatch, due-written), ctx.Err()
		}
		at := time.Duration(float64(written+p.batch()-1) / float64(p) * float64(time.Second))
		t := time.NewTimer(max(at-since, time.Microsecond))
		select {
		case <-ctx.Done():
			t.Stop()
			return 0, ctx.Err()
		case <-t.C:
		}
	}
}
