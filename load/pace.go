package load

import (
	"context"
	"time"
)

// Pace is how many keys are overwritten a second, evenly spread; 0 as many as can be.
type Pace float64

// updaterBatch is how many updates are written in one batch at most: few, as clients do. A
// batch larger than a memtable LevelDB writes to tables at once, past log and memtable.
const updaterBatch = 100

// paceTick is over what time writes are put together in a batch at least, unless that
// were more than updaterBatch.
const paceTick = 10 * time.Millisecond

// batch is the least number of writes that are made together.
func (p Pace) batch() uint64 {
	return max(1, min(updaterBatch, uint64(float64(p)*paceTick.Seconds())))
}

// due is how many writes are to be made so far, that long after the first.
func (p Pace) due(since time.Duration) uint64 {
	return 1 + uint64(float64(p)*since.Seconds())
}

// wait waits until the next batch is due after so many writes, or the context is
// done. It tells how many writes it has.
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
