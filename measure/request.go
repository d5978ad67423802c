package measure

import (
	"context"
	"errors"
	"fmt"

	"getio/engine"
	"getio/engine/lsm"
	"getio/load"
	"getio/measure/database"
	"getio/record"
	"getio/system/device"
	"getio/system/machine"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/trace"
)

// Request describes one measurement of the database in a directory, and the updates made before
// or during it. Updates change the dataset; they are allowed only on datasets that getio made.
type Request struct {
	Engines engine.Registry
	Dir     string
	Choice  database.OpenOptions
	Cache   lsm.CacheSize
	Open    engine.OpenConfig // its CacheBytes and Trace are set here
	Options
	Trace *trace.File        // whose operations are repeated; nil if the keys are not a trace's
	Limit database.TimeLimit // it has no effect if the database is updated meanwhile

	Updates  uint64     // random keys to overwrite first
	Pace     *load.Pace // of updates during the measurement; nil: none
	Writers  int        // concurrent writers of Updates
	RecordTo string     // file for a trace of the run; empty: none

	// Loading and Reading, if set, are called before updates and before Gets begin.
	Loading func(*load.Job)
	Reading func(*database.Database)
}

// Run makes the measurement. It rejects invalid requests before it changes the database. If it
// returns both a result and an error, only writing the trace failed.
func (q *Request) Run(ctx context.Context) (*record.Result, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if q.Updates == 0 {
		return q.measure(ctx)
	}
	if err := q.try(ctx); err != nil {
		return nil, err
	}
	if err := q.update(ctx); err != nil {
		return nil, err
	}
	r, err := q.measure(ctx)
	if errors.Is(err, context.Canceled) && q.Pace == nil {
		return nil, &load.Interrupted{Left: "the updates were made, and an unfinished measurement gives no figure"}
	}
	return r, err
}

// Check refuses what cannot be measured together. It opens nothing.
func (q *Request) Check() error {
	if err := q.Keys.Check(); err != nil {
		return err
	}
	if q.Open.LastLevelFilters && q.Kind == workload.Scan {
		return errors.New("scans consult no filters: leave --last-level-filters out, or --scan")
	}
	if q.Pace == nil {
		return nil
	}
	pages, model := q.Open.Device.PageCache(), q.Open.Device.Model()
	for _, c := range []struct {
		asked    bool
		flag, so string
	}{
		{q.ExactSplit, "--exact-split", "the repeated Gets would see a changed tree"},
		{q.Open.LastLevelFilters, "--last-level-filters", "it opens the database with a key comparison that no table may be written with"},
		{q.Kind == workload.Scan, "--scan", "reads of scans cannot be separated from those of compactions"},
		{q.Kind == workload.Multiget, "--multiget", "reads of iterators cannot be separated from those of compactions"},
		{q.Trace != nil, "--trace", "its warm-up expects a database that nobody writes to"},
		{q.RecordTo != "", "--record", "what its Gets return depends on when they were made"},
		{q.Keys.KeysFile != "", "--keys-file", "its keys are checked before the Gets, in a database that nobody writes to"},
		{q.Choice.Live, "--live", "it reads a copy that nobody writes to"},
		{q.Choice.Preset != "", "--preset", "a dataset is written to with the options that it was loaded with"},
		{pages != device.Keep, "--page-cache", "the kernel accounts to the process what Gets and compactions read together"},
		{model != (device.Model{}), "--iops and --read-latency", "of a modelled device only reads take time, not what flushes and compactions write"},
	} {
		if c.asked {
			return fmt.Errorf("%s cannot go with --update-rate: %s; leave one of them out", c.flag, c.so)
		}
	}
	return nil
}

func (q *Request) measure(ctx context.Context) (*record.Result, error) {
	if q.Pace != nil {
		return q.measureUpdated(ctx)
	}
	d, open, err := q.open(ctx)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if open.LastLevelFilters {
		if err := d.RequireUnconsultedFilters("--last-level-filters"); err != nil {
			return nil, err
		}
	}
	opts := q.Options
	if opts.Record, err = q.newTrace(d); err != nil {
		return nil, err
	}
	q.reading(d)
	opts.Until = q.Limit.Of(d)
	sweep := Sweep{Database: d, Options: opts, Trace: q.Trace}
	result, err := sweep.One(ctx, open)
	if err != nil {
		if opts.Record != nil {
			opts.Record.Discard()
		}
		return nil, err
	}
	if opts.Record != nil {
		err = opts.Record.Finish(result.Workload.WarmupGets)
	}
	return result, err
}

// open opens the database and completes the configuration with which to read it.
func (q *Request) open(ctx context.Context) (*database.Database, engine.OpenConfig, error) {
	open := q.Open
	d, err := database.Open(ctx, q.Engines, q.Dir, q.Choice)
	if err != nil {
		return nil, open, err
	}
	if open.CacheBytes, err = d.CacheBytes(q.Cache); err == nil {
		err = machine.FitsCache(open.CacheBytes)
	}
	if err != nil {
		return nil, open, errors.Join(err, d.Close())
	}
	return d, open, nil
}

func (q *Request) loading(job *load.Job) {
	if q.Loading != nil {
		q.Loading(job)
	}
}

func (q *Request) reading(d *database.Database) {
	if q.Reading != nil {
		q.Reading(d)
	}
}

// newTrace begins the trace to record, or returns nil if there is none.
func (q *Request) newTrace(d *database.Database) (*trace.Writer, error) {
	if q.RecordTo == "" {
		return nil, nil
	}
	if err := d.RequireOutside(q.RecordTo, "--record"); err != nil {
		return nil, err
	}
	return trace.Create(q.RecordTo, nil)
}

// try opens everything that the measurement will need.
func (q *Request) try(ctx context.Context) error {
	if err := requireOwn(q.Dir, "--update"); err != nil {
		return err
	}
	d, open, err := q.open(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	db, err := d.Store.Open(open)
	if err != nil {
		return err
	}
	defer db.Close()
	gets, err := (&Sweep{Database: d, Trace: q.Trace}).sequence(q.Keys)
	if err != nil {
		return err
	}
	if err := gets.Close(); err != nil {
		return err
	}
	t, err := q.newTrace(d)
	if t != nil {
		t.Discard()
	}
	return err
}

// requireOwn returns an error if getio did not make the dataset in dir.
func requireOwn(dir, flag string) error {
	_, m, err := database.Locate(dir)
	if err == nil && m == nil {
		return fmt.Errorf("%s would change %s, which getio did not make: it only overwrites keys of datasets that 'getio load' made", flag, dir)
	}
	return err
}

// update overwrites keys of a dataset that getio made.
func (q *Request) update(ctx context.Context) error {
	root, m, err := database.Locate(q.Dir)
	if err != nil {
		return err
	}
	job, err := load.ExistingJob(q.Engines, root, m, q.Writers)
	if err != nil {
		return err
	}
	q.loading(job)
	return job.Update(ctx, q.Updates, dataset.Draw(q.Seed, uint64(len(m.Updates))))
}

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
