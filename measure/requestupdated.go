package measure

import (
	"context"
	"errors"
	"fmt"

	"getio/engine"
	"getio/load"
	"getio/measure/database"
	"getio/record"
	"getio/workload/dataset"
)

// measureUpdated measures while keys are overwritten.
func (q *Request) measureUpdated(ctx context.Context) (result *record.Result, err error) {
	d, open, updater, err := q.openUpdatable(ctx)
	if err != nil {
		return nil, err
	}
	opts := q.Options
	opts.TotalKeys = d.Keys()
	run, err := NewUpdateRun(d.Store.Info(), d.Store.Shape(), opts)
	q.reading(d)
	describe := d.Description(q.Keys)
	// The library locks a database that it writes to.
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	root, _, err := database.Locate(q.Dir)
	if err != nil {
		return nil, err
	}
	job := &load.Job{Engine: d.Engine, Config: d.Config, Dir: root, Manifest: d.Manifest}
	q.loading(job)
	open.Trace = run.Trace
	begin := func() (engine.UpdatingDB, error) {
		return updater.OpenUpdating(d.Manifest.DBDir(root), d.Config, open)
	}
	seed := dataset.Draw(q.Seed, uint64(len(d.Manifest.Updates)))
	err = job.UpdateWhile(ctx, begin, *q.Pace, seed, func(ctx context.Context, db engine.UpdatingDB, round *load.Updater) error {
		gets, err := d.Gets(q.Keys)
		if err != nil {
			return err
		}
		defer gets.Close()
		result, err = run.Measure(ctx, db, round, gets)
		return err
	})
	if err != nil {
		return nil, err
	}
	describe(result)
	return result, nil
}

// openUpdatable opens a dataset that can be written to while it is read.
func (q *Request) openUpdatable(ctx context.Context) (*database.Database, engine.OpenConfig, engine.Updater, error) {
	if err := requireOwn(q.Dir, "--update-rate"); err != nil {
		return nil, engine.OpenConfig{}, nil, err
	}
	d, open, err := q.open(ctx)
	if err != nil {
		return nil, open, nil, err
	}
	updater, can := d.Engine.(engine.Updater)
	switch {
	case d.Engine.Name() != d.Manifest.Engine:
		err = fmt.Errorf("%s was loaded with %s, which alone may write to it: leave --engine out, or --update-rate", q.Dir, d.Manifest.Engine)
	case d.Manifest.Build == dataset.BuildVirtual:
		err = fmt.Errorf("%s is virtual and can only be read: take a dataset loaded without --virtual", q.Dir)
	case !can:
		err = fmt.Errorf("getio cannot measure %s while it is written to: leave --update-rate out", d.Engine.Name())
	}
	if err != nil {
		return nil, open, nil, errors.Join(err, d.Close())
	}
	return d, open, updater, nil
}
