package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"

	"getio/engine"
	"getio/engine/loading"
	"getio/workload/dataset"
)

// updateBatch is the number of updates in a batch.
const updateBatch = 1000

// Update overwrites n keys of a complete dataset, drawn at random by the seed, and lets the
// tree settle again. The manifest records the round before any key is written, so that readers
// accept both the old and the new value of a key.
func (j *Job) Update(ctx context.Context, n, seed uint64) error {
	if n == 0 {
		return nil
	}
	if err := j.updatable(); err != nil {
		return err
	}
	return j.locked(ctx, j.updatesInterrupted(), func() error { return j.update(ctx, dataset.Update{Writes: n, Seed: seed}) })
}

// updatable returns an error if the dataset is virtual, and so cannot be written to.
func (j *Job) updatable() error {
	if j.Manifest.Build == dataset.BuildVirtual {
		return fmt.Errorf("%s is virtual and can only be read: update a dataset loaded without --virtual", j.Dir)
	}
	return nil
}

func (j *Job) update(ctx context.Context, update dataset.Update) error {
	m := j.Manifest
	loader, err := j.Engine.Resume(m.DBDir(j.Dir), j.Config)
	if err != nil {
		return err
	}
	err = loading.Guard(loader, func() error {
		m.Updates, m.Levels = append(m.Updates, update), nil
		err := j.writeAndSettle(ctx, loader, update.Writes, func() error {
			if err := m.Write(j.Dir); err != nil {
				return err
			}
			return j.overwrite(ctx, loader)
		})
		if err == nil {
			err = j.noteLevels(ctx)
		}
		if err != nil {
			return err
		}
		j.finishUpdates()
		return m.Write(j.Dir)
	})
	return j.updateEnded(err)
}

// finishUpdates marks all rounds as finished: the settled tree also settles interrupted rounds.
func (j *Job) finishUpdates() {
	for i := range j.Manifest.Updates {
		j.Manifest.Updates[i].Finished = true
	}
}

// updateEnded adds the state of the updates to the error that ended them.
func (j *Job) updateEnded(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return j.updatesInterrupted()
	case errors.Is(err, syscall.ENOSPC):
		return noSpace(err, "update again")
	}
	return fmt.Errorf("the updates of %s did not finish: %w", j.Dir, err)
}

// overwrite makes the writes of the newest round of updates.
func (j *Job) overwrite(ctx context.Context, loader engine.Loader) error {
	o, err := j.newOverwriter(loader.NewBatch())
	if err != nil {
		return err
	}
	defer o.batch.Close()
	for done := uint64(0); done < o.update.Writes; {
		n := min(updateBatch, o.update.Writes-done)
		if err := cmp.Or(o.write(done, n), ctx.Err()); err != nil {
			return err
		}
		done += n
		j.report(Stage{Phase: PhaseUpdate, Done: done, Total: o.update.Writes})
	}
	return nil
}

// overwriter makes the writes of the newest round of updates in the manifest.
type overwriter struct {
	update *dataset.Update
	round  uint64
	keys   dataset.Keyspace
	values *dataset.Values
	batch  engine.Batch
	key    [dataset.KeySize]byte
	value  []byte
}

// newOverwriter returns an overwriter that fills a batch. If it fails, it closes the batch.
func (j *Job) newOverwriter(batch engine.Batch) (*overwriter, error) {
	rounds := j.Manifest.Updates
	o := &overwriter{update: &rounds[len(rounds)-1], round: uint64(len(rounds)), batch: batch}
	var err error
	if o.keys, err = j.Manifest.NewKeyspace(); err == nil {
		o.values, err = j.Manifest.NewValues()
	}
	if err != nil {
		return nil, errors.Join(err, batch.Close())
	}
	return o, nil
}

// write makes n writes of the round in one batch, beginning with write number from.
func (o *overwriter) write(from, n uint64) error {
	for i := from; i < from+n; i++ {
		index := o.update.Key(i, o.keys.Len())
		o.keys.Key(index, &o.key)
		o.value = o.values.Updated(index, o.round, o.value)
		if err := o.batch.Set(o.key[:], o.value); err != nil {
			return err
		}
	}
	return o.batch.Commit()
}
