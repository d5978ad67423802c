package load

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

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
	return stoppable(ctx, j.updatesInterrupted(), func() error { return j.update(ctx, dataset.Update{Writes: n, Seed: seed}) })
}

// updatable returns an error if the dataset is virtual, and so cannot be written to.
func (j *Job) updatable() error {
	if j.Manifest.Build == dataset.BuildVirtual {
		return fmt.Errorf("%s is virtual and can only be read: update a dataset loaded without --virtual", j.Dir)
	}
	return nil
}

func (j *Job) update(ctx context.Context, update dataset.Update) error {
	unlock, err := j.lock()
	if err != nil {
		return err
	}
	defer unlock()
	removeUnfinished(j.Dir)
	m := j.Manifest
	keys, err := m.NewKeyspace()
	if err != nil {
		return err
	}
	values, err := m.NewValues()
	if err != nil {
		return err
	}
	loader, err := j.Engine.Resume(m.DBDir(j.Dir), j.Config)
	if err != nil {
		return err
	}
	err = loading.Guard(loader, func() error {
		m.Updates, m.Levels = append(m.Updates, update), nil
		err := m.Write(j.Dir)
		start := time.Now()
		if err == nil {
			err = j.overwrite(ctx, loader, keys, values, update)
		}
		if err == nil {
			j.written(loader, update.Writes, time.Since(start))
			err = loader.Settle(ctx, func(s engine.SettleProgress) { j.report(Stage{Phase: PhaseSettle, Settling: s}) })
		}
		if e := loader.Close(); err == nil {
			err = e
		}
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

func (j *Job) overwrite(ctx context.Context, loader engine.Loader, keys dataset.Keyspace, values dataset.Values, u dataset.Update) error {
	batch := loader.NewBatch()
	defer batch.Close()
	round := uint64(len(j.Manifest.Updates))
	var key [dataset.KeySize]byte
	var value []byte
	for i := range u.Writes {
		index := u.Key(i, keys.Len())
		keys.Key(index, &key)
		value = values.Updated(index, round, value)
		if err := batch.Set(key[:], value); err != nil {
			return err
		}
		if (i+1)%updateBatch != 0 && i+1 != u.Writes {
			continue
		}
		if err := batch.Commit(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		j.report(Stage{Phase: PhaseUpdate, Done: i + 1, Total: u.Writes})
	}
	return nil
}
