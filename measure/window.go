package measure

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"getio/cost"
	"getio/steady"
)

const (
	// preparedGets bounds the Gets that are prepared at a time.
	preparedGets = 100_000
	// chunkGets is how many Gets a worker takes at a time.
	chunkGets = 256
)

// window makes n Gets and tells how many reads they made. No Get is under way
// when it starts and when it ends, so that the reads are theirs exactly.
func (r *run) window(ctx context.Context, n int64, stage Stage) (steady.Window, error) {
	before := r.counts().Reads.Count.Sum()
	for done := int64(0); done < n; {
		batch := min(n-done, preparedGets)
		if err := r.gets.Prepare(ctx, r.next, batch); err != nil {
			return steady.Window{}, err
		}
		if err := r.batch(ctx, batch); err != nil {
			return steady.Window{}, err
		}
		done += batch
		if r.opts.Progress != nil {
			now := stage
			now.Done += done
			now.CacheBytes, now.Counts, now.Took = r.cache, r.counts(), r.spent.Wall
			now.IOsPerGet = float64(now.Counts.Reads.Count.Sum()-before) / float64(done)
			r.opts.Progress(now)
		}
	}
	return steady.Window{Gets: n, Reads: float64(r.counts().Reads.Count.Sum() - before)}, nil
}

// batch makes the next n Gets, which are prepared, and adds to what was spent.
func (r *run) batch(ctx context.Context, n int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	end := r.next + n
	var taken atomic.Int64
	taken.Store(r.next)
	r.layers.start()
	spent := cost.Start()
	var workers sync.WaitGroup
	for range r.opts.Workers {
		workers.Go(func() {
			if err := r.work(ctx, &taken, end); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	r.spent.Add(spent())
	r.layers.stop()
	r.next = end
	return context.Cause(ctx)
}

// work makes Gets, a chunk at a time, until none are left. A library that
// panics over a damaged block fails the run, not the process.
func (r *run) work(ctx context.Context, taken *atomic.Int64, end int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the library gave up during a Get (%v): the database is damaged, so that no figure of this run counts; restore it from a copy", p)
		}
	}()
	var keyBuf, valueBuf []byte
	for {
		first := taken.Add(chunkGets) - chunkGets
		if first >= end || ctx.Err() != nil {
			return nil
		}
		for g := first; g < min(first+chunkGets, end); g++ {
			key, want := r.gets.Key(g, keyBuf)
			value, found, err := r.db.Get(key, valueBuf)
			if err != nil {
				return getError(key, err)
			}
			if err := r.gets.Check(g, want, key, found, value); err != nil {
				return err
			}
			keyBuf, valueBuf = key, value
		}
	}
}
