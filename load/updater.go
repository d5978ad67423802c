package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"getio/engine"
	"getio/engine/loading"
	"getio/workload/dataset"
)

// updaterSegment is the step by which the recorded bound on a round's writes is raised.
const updaterSegment = 1 << 20

// Updater is a round of updates to a database that is being read. Its goroutine is the only
// writer.
type Updater struct {
	job    *Job
	db     engine.UpdatingDB
	pace   Pace
	update *dataset.Update // in the manifest; while writing, Writes is an upper bound

	begun   atomic.Bool
	fail    context.CancelCauseFunc // cancels read's context
	stop    context.CancelFunc      // set by Start
	done    sync.WaitGroup
	err     error // of the writes, once done, or of Start
	began   time.Time
	took    time.Duration // once done
	written atomic.Uint64
}

// UpdateWhile opens a complete dataset for reading and writing, waits until its tree has
// settled, and calls read. read starts and stops the updates, which overwrite keys drawn by the
// seed at the given pace. read must let the tree settle; UpdateWhile closes the database.
//
// The manifest in j includes the round from the beginning, so that readers accept both the old
// and the new value of a key. The manifest on disk includes it before any key is written.
func (j *Job) UpdateWhile(ctx context.Context, open func() (engine.UpdatingDB, error), pace Pace, seed uint64, read func(context.Context, engine.UpdatingDB, *Updater) error) error {
	if err := j.updatable(); err != nil {
		return err
	}
	return j.locked(ctx, j.updatesInterrupted(), func() error { return j.updateWhile(ctx, open, pace, seed, read) })
}

func (j *Job) updateWhile(ctx context.Context, open func() (engine.UpdatingDB, error), pace Pace, seed uint64, read func(context.Context, engine.UpdatingDB, *Updater) error) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &Updater{job: j, pace: pace, fail: fail}
	var err error
	if r.db, err = open(); err != nil {
		return noSpace(err, "update again")
	}
	err = loading.Guard(r.db, func() error {
		err := j.unsettle()
		j.Manifest.Updates = append(j.Manifest.Updates, dataset.Update{Seed: seed})
		r.update = &j.Manifest.Updates[len(j.Manifest.Updates)-1]
		if err == nil {
			err = r.Settle(ctx)
		}
		if err == nil {
			if err = read(ctx, r.db, r); err != nil {
				err = &readFailed{err}
			}
		}
		return r.end(ctx, err)
	})
	var failed *readFailed
	switch {
	case errors.Is(err, context.Canceled) && !r.begun.Load():
		return &Interrupted{fmt.Sprintf("nothing of %s was updated yet", j.Dir)}
	case errors.As(err, &failed) && !errors.Is(err, context.Canceled) && !errors.Is(err, r.err):
		return failed.error // says itself what went wrong
	}
	return j.updateEnded(err)
}

// readFailed is an error returned by read.
type readFailed struct{ error }

func (r *readFailed) Unwrap() error { return r.error }

// Start begins to overwrite keys.
func (r *Updater) Start(ctx context.Context) error {
	r.update.Writes = updaterSegment
	if r.err = r.job.Manifest.Write(r.job.Dir); r.err != nil {
		return r.err
	}
	ctx, r.stop = context.WithCancel(ctx)
	r.begun.Store(true)
	r.began = time.Now()
	r.done.Go(func() {
		r.err = r.overwrite(ctx)
		r.took = time.Since(r.began)
		if r.err != nil {
			r.fail(r.err) // read need not continue
		}
	})
	return nil
}

// Stop ends the updates and waits for the last write.
func (r *Updater) Stop() error {
	r.stop()
	r.done.Wait()
	return r.err
}

// Settle waits until the tree has settled.
func (r *Updater) Settle(ctx context.Context) error {
	return r.db.Settle(ctx, r.job.settling)
}

// Written returns the number of writes so far and the bytes of their keys and values.
func (r *Updater) Written() (writes, bytes int64) {
	writes = int64(r.written.Load())
	return writes, writes * int64(dataset.KeySize+r.job.Manifest.ValueSize)
}

// Took returns how long the writes took, once they were stopped.
func (r *Updater) Took() time.Duration { return r.took }

// Rate returns the intended number of writes per second; 0 means unthrottled.
func (r *Updater) Rate() float64 { return float64(r.pace) }

func (r *Updater) overwrite(ctx context.Context) error {
	o, err := r.job.newOverwriter(r.db.NewBatch())
	if err != nil {
		return err
	}
	defer o.batch.Close()
	for {
		written := r.written.Load()
		n, err := r.pace.wait(ctx, r.began, written)
		if err != nil {
			return nil // stopped
		}
		if err := r.announce(written + n); err != nil {
			return err
		}
		if err := o.write(written, n); err != nil {
			return err
		}
		r.written.Add(n)
	}
}

// announce raises the bound in the manifest if it is below writes.
func (r *Updater) announce(writes uint64) error {
	if writes <= r.update.Writes {
		return nil
	}
	r.update.Writes += updaterSegment
	return r.job.Manifest.Write(r.job.Dir)
}

// end closes the database and completes the manifest, even if read failed.
func (r *Updater) end(ctx context.Context, err error) error {
	begun := r.begun.Load()
	if begun {
		if e := r.Stop(); e != nil { // the cause, if read failed too
			err = e
		}
	}
	failed := r.db.Close()
	err = cmp.Or(err, failed)
	m := r.job.Manifest
	if !begun { // the round does not exist on disk
		m.Updates = m.Updates[:len(m.Updates)-1]
		if failed == nil && r.job.noteLevels(ctx) == nil {
			m.Write(r.job.Dir) // if this fails, the levels remain absent and are not checked
		}
		return err
	}
	r.update.Writes = r.written.Load()
	if err == nil {
		err = r.job.noteLevels(ctx)
	}
	if err == nil {
		r.job.finishUpdates()
	}
	return cmp.Or(err, m.Write(r.job.Dir))
}

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
