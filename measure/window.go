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

const (
	// preparedGets bounds the Gets that are prepared at a time.
	preparedGets = 100_000
	// chunkGets is how many Gets a worker takes at a time, or operations of as many
	// records.
	chunkGets = 256
)

// window makes n Gets and tells how many reads they made. No Get is under way
// when it starts and when it ends, so that the reads are theirs exactly.
func (r *run) window(ctx context.Context, n int64, stage Stage) (steady.Window, error) {
	before := r.counts().Reads.Count.Sum()
	for done := int64(0); done < n; {
		keys := r.opts.Operation.keys()
		batch := min(n-done, r.notes.mostPrepared(r.opts.Operation.records()))
		if err := r.gets.Prepare(ctx, r.next*keys, batch*keys); err != nil {
			return steady.Window{}, err
		}
		if err := r.record(batch); err != nil {
			return steady.Window{}, err
		}
		if err := r.batch(ctx, batch); err != nil {
			return steady.Window{}, err
		}
		done += batch
		if r.opts.Progress != nil {
			now := stage
			now.Done += done
			now.Operation, now.CacheBytes, now.Counts, now.Took = r.opts.Operation, r.cache, r.counts(), r.spent.Wall
			if r.shared != nil {
				activity := r.shared.db.Activity()
				now.Activity = &activity
			}
			now.IOsPerGet = float64(now.Counts.Reads.Count.Sum()-before) / float64(done)
			r.opts.Progress(now)
		}
	}
	w := steady.Window{Gets: n, Reads: float64(r.counts().Reads.Count.Sum() - before)}
	if r.shared != nil {
		r.shared.window(stage.Phase, w)
	}
	return w, nil
}

// batch makes the next n Gets, which are prepared, and adds to what was spent.
func (r *run) batch(ctx context.Context, n int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turns := r.turns(r.next + n)
	r.layers.start()
	spent := cputime.Start()
	r.notes.start()
	var workers sync.WaitGroup
	for _, w := range r.workers {
		workers.Go(func() {
			if err := r.work(ctx, w, turns); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	r.spent.Add(spent())
	r.layers.stop()
	r.next += n
	return context.Cause(ctx)
}

// turns hand out Gets: whoever calls makes those from first up to, not including, last,
// all of which are due at that time. None are left if first is last.
type turns func(ctx context.Context) (first, last int64, due time.Duration)

// turns hand out the Gets up to, not including, number end.
func (r *run) turns(end int64) turns {
	if r.notes.pace != nil {
		return r.notes.pace.turns(end)
	}
	chunk := max(chunkGets/r.opts.Operation.records(), 1)
	var taken atomic.Int64
	taken.Store(r.next)
	return func(context.Context) (first, last int64, due time.Duration) {
		first = taken.Add(chunk) - chunk
		return min(first, end), min(first+chunk, end), 0
	}
}

// work makes Gets, as they are handed out, until none are left. A library that
// panics over a damaged block fails the run, not the process.
func (r *run) work(ctx context.Context, w *worker, turns turns) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the library gave up during a Get (%v): the database is damaged, so that no figure of this run counts; restore it from a copy", p)
		}
	}()
	defer r.notes.attend(ctx, w)()
	for {
		first, last, due := turns(ctx)
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
