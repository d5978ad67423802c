package measure

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"getio/numbers/steady"
	"getio/system/cputime"
)

// chunkGets is how many Gets, or records of other operations, a worker takes at a time.
const chunkGets = 256

// window makes n Gets and returns the number of reads they made. No Get is in progress when it
// starts or ends, so the count is exact.
func (r *run) window(ctx context.Context, n int64, stage Stage) (steady.Window, error) {
	began := r.counts().Reads
	before := began.Count.Sum()
	for done := int64(0); done < n; {
		keys := r.plan.EachKeys()
		batch := min(n-done, r.phase.recorder.maxBatch(r.plan.EachRecords()))
		if err := r.gets.Prepare(ctx, r.next*keys, batch*keys); err != nil {
			return steady.Window{}, err
		}
		if err := r.writeTrace(batch); err != nil {
			return steady.Window{}, err
		}
		if err := r.batch(ctx, batch); err != nil {
			return steady.Window{}, err
		}
		done += batch
		if r.plan.Progress != nil {
			now := stage
			now.Done += done
			now.Operation, now.CacheBytes, now.Counts, now.Took = r.plan.Operation, r.cache, r.counts(), r.phase.spent.Wall
			if r.shared != nil {
				activity := r.shared.db.Activity()
				now.Activity = &activity
			}
			now.IOsPerGet = float64(now.Counts.Reads.Count.Sum()-before) / float64(done)
			r.plan.Progress(now)
		}
	}
	reads := r.counts().Reads.Sub(began)
	r.phase.gets += n
	r.phase.windowReads = append(r.phase.windowReads, reads)
	w := steady.Window{Gets: n, Reads: float64(reads.Count.Sum())}
	if r.shared != nil {
		r.shared.window(stage.Phase, w)
	}
	return w, nil
}

// batch makes the next n Gets, which must be prepared, and adds their time to r.phase.spent.
func (r *run) batch(ctx context.Context, n int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := r.dispenser(r.next + n)
	r.layers.start()
	spent := cputime.StartTimer()
	r.phase.recorder.start()
	var workers sync.WaitGroup
	for _, w := range r.phase.workers {
		workers.Go(func() {
			if err := r.work(ctx, w, next); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	r.phase.spent.Add(spent())
	r.layers.stop()
	r.next += n
	return context.Cause(ctx)
}

// dispenser hands out the Gets below number end.
func (r *run) dispenser(end int64) dispenser {
	if r.phase.recorder.pace != nil {
		return r.phase.recorder.pace.dispenser(end)
	}
	chunk := max(chunkGets/r.plan.EachRecords(), 1)
	var taken atomic.Int64
	taken.Store(r.next)
	return func(context.Context) (first, last int64, due time.Duration) {
		first = taken.Add(chunk) - chunk
		return min(first, end), min(first+chunk, end), 0
	}
}

// work makes Gets until none are left. If the library panics because of a damaged block, work
// returns an error.
func (r *run) work(ctx context.Context, w *worker, next dispenser) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the library panicked during a Get (%v), so no figure of this run is valid: if the database is damaged, restore it from a copy", p)
		}
	}()
	defer r.phase.recorder.attach(ctx, w)()
	for {
		first, last, due := next(ctx)
		if first == last || ctx.Err() != nil {
			return nil
		}
		for g := first; g < last; g++ {
			if err := r.operate(w, g, due); err != nil {
				return err
			}
		}
	}
}
