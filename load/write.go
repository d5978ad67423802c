package load

import (
	"cmp"
	"context"
	"sync"

	"getio/engine"
	"getio/workload/dataset"
)

// singles is the number of keys a worker takes at a time when keys are written one by one.
const singles = 256

// chunk is a number of keys that one worker writes, usually in one batch.
type chunk struct {
	indexes []uint64
	check   bool // some may be present already
}

// writer is the write phase of a load.
type writer struct {
	job    *Job
	loader engine.Loader
	keys   dataset.Keyspace
	values *dataset.Values

	chunks  chan chunk
	pending sync.WaitGroup // chunks handed out and not yet written
	cancel  context.CancelCauseFunc

	next    chunk  // being filled
	durable uint64 // positions below are written and synced
	horizon uint64 // positions from here on are not written
	checked uint64 // positions below may have been written before
}

// write writes all keys that are not yet durable.
func (j *Job) write(ctx context.Context, loader engine.Loader) error {
	m := j.Manifest
	keys, err := m.NewKeyspace()
	if err != nil {
		return err
	}
	values, err := m.NewValues()
	if err != nil {
		return err
	}
	order, err := m.NewOrder()
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &writer{
		job: j, loader: loader, keys: keys, values: values,
		chunks: make(chan chunk, j.Workers), cancel: cancel,
		durable: m.Progress.Durable, horizon: m.Progress.Durable, checked: m.Progress.Horizon,
	}
	for range j.Workers {
		go w.work(inner)
	}
	defer close(w.chunks)
	err = order.Range(inner, w.durable, m.Keys, func(pos, index uint64) bool {
		return w.add(inner, pos, index)
	})
	return w.finish(inner, err)
}

// add hands position pos to the workers, and ends the segment at its horizon.
func (w *writer) add(ctx context.Context, pos, index uint64) bool {
	if pos == w.horizon {
		if err := w.nextSegment(ctx, pos); err != nil {
			w.cancel(err)
			return false
		}
	}
	w.next.indexes = append(w.next.indexes, index)
	w.next.check = w.next.check || pos < w.checked
	size := w.job.Manifest.Batch
	if size == 0 {
		size = singles
	}
	if len(w.next.indexes) >= size || pos+1 == w.horizon {
		w.handOut()
		w.job.report(Stage{Phase: PhaseLoad, Done: pos + 1, Total: w.job.Manifest.Keys})
	}
	return ctx.Err() == nil
}

func (w *writer) handOut() {
	if len(w.next.indexes) == 0 {
		return
	}
	w.pending.Add(1)
	w.chunks <- w.next
	w.next = chunk{}
}

// nextSegment waits for the segment that ends at pos, makes it durable and records the end of
// the next one.
func (w *writer) nextSegment(ctx context.Context, pos uint64) error {
	if err := w.settle(ctx, pos); err != nil {
		return err
	}
	// Keys below checked may be written already, so the horizon stays at least there.
	w.horizon = max(min(pos+cmp.Or(w.job.segment, segmentKeys), w.job.Manifest.Keys), min(w.checked, w.job.Manifest.Keys))
	return w.record()
}

// settle makes all positions below pos durable, unless the load is stopped: the workers then
// skip the chunks they receive.
func (w *writer) settle(ctx context.Context, pos uint64) error {
	w.handOut()
	w.pending.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err := w.loader.Sync(); err != nil {
		return err
	}
	w.durable = pos
	return nil
}

func (w *writer) record() error {
	w.job.Manifest.Progress = &dataset.Progress{Durable: w.durable, Horizon: w.horizon}
	return w.job.Manifest.Write(w.job.Dir)
}

// finish ends the load after the last position, or after an error.
func (w *writer) finish(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		w.pending.Wait() // the recorded progress still covers the current segment
		return err
	}
	if err := w.settle(ctx, w.job.Manifest.Keys); err != nil {
		return err
	}
	w.horizon = w.durable
	return w.record()
}

// work writes chunks until the channel is closed.
func (w *writer) work(ctx context.Context) {
	batch := w.loader.NewBatch()
	defer batch.Close()
	var key [dataset.KeySize]byte
	var value []byte
	for c := range w.chunks {
		if ctx.Err() == nil {
			var err error
			if value, err = w.write(batch, c, &key, value); err != nil {
				w.cancel(err)
			}
		}
		w.pending.Done()
	}
}

func (w *writer) write(batch engine.Batch, c chunk, key *[dataset.KeySize]byte, value []byte) ([]byte, error) {
	set := batch.Set
	if w.job.Manifest.Batch == 0 {
		set = w.loader.Set
	}
	for _, index := range c.indexes {
		w.keys.Key(index, key)
		if c.check {
			if there, err := w.loader.Has(key[:]); err != nil {
				return value, err
			} else if there {
				continue
			}
		}
		value = w.values.Value(index, value)
		if err := set(key[:], value); err != nil {
			return value, err
		}
	}
	if w.job.Manifest.Batch == 0 {
		return value, nil
	}
	return value, batch.Commit()
}
