package load

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"getio/engine"
	"getio/workload/dataset"
)

// singles is the number of keys a worker takes at a time when keys are written one by one.
const singles = 256

// writer is the write phase of a load.
type writer struct {
	job     *Job
	loader  engine.Loader
	keys    dataset.Keyspace
	values  *dataset.Values
	batches []engine.Batch // one for each worker
	checked uint64         // positions below may have been written before

	mu   sync.Mutex
	done uint64 // number of keys written
}

// write writes all keys that are not yet durable, a segment at a time.
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
	w := &writer{job: j, loader: loader, keys: keys, values: values, checked: min(m.Progress.Horizon, m.Keys), done: m.Progress.Durable}
	for range j.Workers {
		batch := loader.NewBatch()
		defer batch.Close()
		w.batches = append(w.batches, batch)
	}
	var segment []uint64 // numbers of the keys
	var failed error
	err = order.Range(ctx, m.Progress.Durable, m.Keys, func(pos, index uint64) bool {
		segment = append(segment, index)
		if n := uint64(len(segment)); n == cmp.Or(j.segment, segmentKeys) || pos+1 == m.Keys {
			failed = w.segment(ctx, pos+1-n, segment)
			segment = segment[:0]
		}
		return failed == nil
	})
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	return w.sync(m.Keys, m.Keys)
}

// sync makes all positions below durable so, and records it with the end of what is written next.
func (w *writer) sync(durable, horizon uint64) error {
	if err := w.loader.Sync(); err != nil {
		return err
	}
	w.job.Manifest.Progress = &dataset.Progress{Durable: durable, Horizon: horizon}
	return w.job.Manifest.Write(w.job.Dir)
}

// segment writes keys, the first of which has position from. The workers take as many of them at a time as a
// batch has.
func (w *writer) segment(ctx context.Context, from uint64, indexes []uint64) error {
	// Keys below checked may be written already, so the horizon stays at least there.
	if err := w.sync(from, max(from+uint64(len(indexes)), w.checked)); err != nil {
		return err
	}
	size := cmp.Or(w.job.Manifest.Batch, singles)
	var taken atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	for _, batch := range w.batches {
		workers.Go(func() error {
			var key [dataset.KeySize]byte
			var value []byte
			for ctx.Err() == nil {
				end := int(taken.Add(int64(size)))
				at := end - size
				if at >= len(indexes) {
					return nil
				}
				chunk := indexes[at:min(end, len(indexes))]
				var err error
				if value, err = w.write(batch, chunk, from+uint64(at) < w.checked, &key, value); err != nil {
					return err
				}
				w.wrote(len(chunk))
			}
			return ctx.Err()
		})
	}
	return workers.Wait()
}

// write writes keys, usually in one batch. check: some may be present already.
func (w *writer) write(batch engine.Batch, indexes []uint64, check bool, key *[dataset.KeySize]byte, value []byte) ([]byte, error) {
	set := batch.Set
	if w.job.Manifest.Batch == 0 {
		set = w.loader.Set
	}
	for _, index := range indexes {
		w.keys.Key(index, key)
		if check {
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

// wrote counts and reports keys that were written.
func (w *writer) wrote(keys int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += uint64(keys)
	w.job.report(Stage{Phase: PhaseLoad, Done: w.done, Total: w.job.Manifest.Keys})
}
