package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"getio/engine"
	"getio/experiment/cell"
	"getio/experiment/preparation"
	"getio/experiment/reproduce"
	"getio/experiment/sweep"
	"getio/measure/database"
	"getio/record"
	"getio/statedb/counter"
	"getio/system/atomicfile"
	"getio/system/machine"
	"getio/system/tempdir"
	"getio/workload/dataset"
)

// Task is a cell to be run here.
type Task struct {
	Plan    *cell.Plan
	Number  int    // of the cell; negative: as the environment says
	Data    string // directory of the datasets
	Out     cell.Directory
	Engines engine.Registry
	Workers int // of loads
	// Place is where the stores of compare-state lie while they are measured.
	Place counter.Place
}

func (t *Task) cell() *cell.Cell { return &t.Plan.Cells[t.Number] }

// Choose chooses the cell. from names the variable of a scheduler that its number comes from, if one does.
func (t *Task) Choose(environment func(string) string) (from string, err error) {
	t.Number, from, err = t.Plan.Number(t.Number, environment)
	return from, err
}

// Path is the file of the cell's records.
func (t *Task) Path() string { return t.Out.Path(t.Number) }

// Experiment is the experiment that the cell belongs to.
func (t *Task) Experiment() string { return t.cell().Experiment }

// Done reports whether the records of the cell are there. It refuses a plan that another getio made.
func (t *Task) Done() (bool, error) {
	if err := t.Plan.RequireThisGetio(); err != nil {
		return false, err
	}
	return t.Out.Has(t.Plan, t.Number)
}

// Make makes the datasets that are missing and can be made, with run.
func (t *Task) Make(run func(dir string, p *preparation.Preparation) error) error {
	for _, s := range t.cell().Sides {
		if s.Dataset.Recipe == nil {
			continue
		}
		if err := t.make(&s.Dataset, run); err != nil {
			return err
		}
	}
	return nil
}

func (t *Task) make(d *cell.Dataset, run func(dir string, p *preparation.Preparation) error) error {
	dir := filepath.Join(t.Data, d.Name)
	if complete(dir) {
		return nil
	}
	if err := tempdir.MakeTrusted(t.Data, 0o777); err != nil {
		return fmt.Errorf("cannot make the directory %s (%w): choose another with --data", t.Data, atomicfile.Cause(err))
	}
	// Tasks on one machine may need the same dataset: one makes it, and the others wait.
	lock, err := os.Open(t.Data)
	if err == nil {
		defer lock.Close()
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		return fmt.Errorf("cannot lock %s to make a dataset in it (%w): choose another directory with --data", t.Data, atomicfile.Cause(err))
	}
	if m, err := dataset.Read(dir); err == nil && m.Checksum() != d.Checksum {
		return fmt.Errorf("%s holds an unfinished load of another dataset than the %s of the plan: choose another directory with --data", dir, d.Name)
	}
	job, err := d.Recipe.Job(t.Engines, dir, t.Workers)
	if err != nil {
		return err
	}
	p, err := preparation.Dataset(job, false)
	if err != nil || p.Job == nil {
		return err
	}
	return run(dir, p)
}

// complete reports whether there is anything in a directory but an unfinished load.
func complete(dir string) bool {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	m, err := dataset.Read(dir)
	return err != nil || m.Complete
}

// Open opens the databases of the cell, and refuses others of their names. The caller closes
// those that it returns, also after an error. identities are those of the sides' databases.
func (t *Task) Open(ctx context.Context) (databases []*database.Database, identities []string, err error) {
	for _, s := range t.cell().Sides {
		dir := filepath.Join(t.Data, s.Dataset.Name)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return databases, nil, fmt.Errorf("%s does not exist: name the directory that holds %s with --data", dir, s.Dataset.Name)
		}
		d, err := database.Open(ctx, t.Engines, dir, s.Choice())
		if err != nil {
			return databases, nil, err
		}
		databases = append(databases, d)
		if err := machine.FitsCache(t.cell().CacheBytes); err != nil {
			return databases, nil, err
		}
		if v := d.Info().Version; v != s.EngineVersion {
			return databases, nil, fmt.Errorf("%s is version %s here, and %s in the plan: use the same library, or make the plan again", s.Engine, v, s.EngineVersion)
		}
		identity, err := s.Dataset.Require(d)
		if err != nil {
			return databases, nil, err
		}
		identities = append(identities, identity)
		if err := d.RequireOutside(t.Path(), "--out"); err != nil {
			return databases, nil, err
		}
	}
	return databases, identities, t.Out.Check()
}

// Sweep returns the sweep that runs the cell of a sweep or a reproduction, whose record it keeps. The
// caller closes its database.
func (t *Task) Sweep(ctx context.Context) (*sweep.Sweep, error) {
	trace, err := t.cell().OpenFiles(ctx)
	if err != nil {
		return nil, err
	}
	databases, identities, err := t.Open(ctx)
	if err != nil {
		database.CloseAll(databases)
		return nil, err
	}
	d := databases[0]
	s := sweep.New(d, t.Plan.Cells[t.Number:t.Number+1], trace)
	published := func(*record.Result) {}
	if t.Experiment() == cell.Reproduce {
		if published, err = reproduce.AddPublished(t.cell().Sides[0].Dataset.Recipe.Shape); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	s.Journal = record.Journal{Runs: "cells", Total: 1}
	s.Complete = func(r *record.Result) {
		published(r)
		r.Cell = t.run(identities[0])
	}
	return s, nil
}

// run is what the record of a database says of its cell.
func (t *Task) run(dataset string) *record.PlannedCell {
	run := t.Plan.Run(t.Number)
	run.Dataset = dataset
	return run
}

// Keep keeps the records of the cell.
func (t *Task) Keep(made *record.Set) error {
	if len(made.States) > 0 {
		return cell.Keep(t.Out, t.Number, made.States)
	}
	return cell.Keep(t.Out, t.Number, made.Results)
}
