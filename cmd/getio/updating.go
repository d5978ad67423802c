package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine"
	"getio/engine/engines"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/system/device"
)

// fastestUpdates is what --update-rate calls as many updates as can be made.
const fastestUpdates = "max"

// maxUpdateRate is more than any library takes.
const maxUpdateRate = 10_000_000

// parseUpdateRate reads how many keys are overwritten a second.
func parseUpdateRate(s string) (*load.Pace, error) {
	if s == fastestUpdates {
		return new(load.Pace), nil
	}
	n, err := countIn[int64](1, maxUpdateRate)(s)
	if err != nil {
		return nil, fmt.Errorf("%w, or %s", err, fastestUpdates)
	}
	pace := load.Pace(n)
	return &pace, nil
}

// beside refuses what cannot be asked for while keys are overwritten.
func (m *measureFlags) beside() error {
	for _, f := range []struct {
		given    bool
		flag, so string
	}{
		{m.exact, "--exact-split", "it makes the Gets again on a tree that is another one by then"},
		{m.filters, "--last-level-filters", "it opens the database with a key comparison that no table may be written with"},
		{m.scan > 0, "--scan", "what compactions read is told from what Gets read, not from what scans do"},
		{m.batch > 0, "--multiget", "what compactions read is told from what Gets read, not from what iterators do"},
		{m.trace != "", "--trace", "its warm-up is of a database at rest"},
		{m.record != "", "--record", "what its Gets return depends on when they were made"},
		{m.keysFile != "", "--keys-file", "its keys are looked up in a database at rest; those of the dataset are known"},
		{m.choice.Live, "--live", "it reads a copy that nobody writes to"},
		{m.choice.Preset != "", "--preset", "a dataset is written to with the options that it was loaded with"},
		{m.device.pageCache != device.Keep, "--page-cache", "the kernel accounts to the process what Gets and compactions read together"},
		{m.device.model != (device.Model{}), "--iops and --read-latency", "of a modelled device only reads take time, not what flushes and compactions write"},
	} {
		if f.given {
			return fmt.Errorf("%s cannot go with --update-rate: %s; leave one of them out", f.flag, f.so)
		}
	}
	return nil
}

// measureUpdated measures while keys are overwritten.
func (m *measureFlags) measureUpdated(c *cobra.Command, dir string, ask database.KeySource, open engine.OpenConfig, opts measure.Options, w *watch) (result *record.Result, err error) {
	d, updater, err := m.openUpdatable(c, dir)
	if err != nil {
		return nil, err
	}
	run, err := m.atRest(d, &open, opts)
	if e := d.Close(); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	root, _, err := database.Locate(dir)
	if err != nil {
		return nil, err
	}
	job := &load.Job{Engine: d.Engine, Config: d.Config, Dir: root, Manifest: d.Manifest}
	w.watchLoad(job)
	w.watchReads(d, 1)
	begin := func() (engine.UpdatingDB, error) {
		open.Trace = run.Trace
		return updater.OpenUpdating(d.Manifest.DBDir(root), d.Config, open)
	}
	seed := dataset.Draw(m.seed, uint64(len(d.Manifest.Updates)))
	err = job.UpdateWhile(c.Context(), begin, *m.pace, seed, func(ctx context.Context, db engine.UpdatingDB, round *load.Updater) error {
		gets, err := d.Gets(ask)
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
	d.Describe(result, ask)
	w.run.Finish(result)
	return result, nil
}

// openUpdatable looks at a dataset that can be written to.
func (m *measureFlags) openUpdatable(c *cobra.Command, dir string) (*database.Database, engine.Updater, error) {
	if err := requireOwn(dir, "--update-rate"); err != nil {
		return nil, nil, err
	}
	d, err := database.Open(c.Context(), engines.All(), dir, m.choice)
	if err != nil {
		return nil, nil, err
	}
	updater, can := d.Engine.(engine.Updater)
	switch {
	case d.Engine.Name() != d.Manifest.Engine:
		err = fmt.Errorf("%s was loaded with %s, which alone may write to it: leave --engine out, or --update-rate", dir, d.Manifest.Engine)
	case d.Manifest.Build == dataset.BuildVirtual:
		err = fmt.Errorf("%s is virtual and can only be read: take a dataset loaded without --virtual", dir)
	case !can:
		err = fmt.Errorf("how %s reads while it is written to is not known: leave --update-rate out", d.Engine.Name())
	}
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return d, updater, nil
}

// atRest prepares the measurement by what a database at rest says.
func (m *measureFlags) atRest(d *database.Database, open *engine.OpenConfig, opts measure.Options) (*measure.UpdateRun, error) {
	var err error
	if open.CacheBytes, err = cacheBytesOf(*m.cache, d); err != nil {
		return nil, err
	}
	opts.Keys = d.Keys()
	return measure.NewUpdateRun(d.Store.Info(), d.Store.Shape(), opts)
}
