// Package load writes and updates datasets: naturally, through an engine's own write path
// and compactions, or table by table for a dataset with a tree.
//
// A load works in segments. Before a segment is written, the manifest says how far it goes
// (Horizon); when it is written and synced, the manifest says so (Durable). A load that resumes
// writes the missing keys of the unfinished segment first.
package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"getio/dataset"
	"getio/engine"
	"getio/engine/loading"
	"getio/system/tempdir"
)

// segmentKeys is how many keys are written between two syncs.
const segmentKeys = 1 << 20

// Job is one load.
type Job struct {
	Engine   engine.Engine
	Config   engine.Config
	Dir      string // of the dataset
	Manifest *dataset.Manifest
	Workers  int
	Progress func(Stage) // may be nil
	// Written, which may be nil, is called when all keys are written and the
	// tree has not settled yet.
	Written func(Written)
	// ResumeHint says how to go on after the load was cut short; if empty, with
	// 'getio load DIR --resume'.
	ResumeHint string

	segment uint64 // keys between two syncs; 0 is segmentKeys
}

// Written is the writing part of a load, or of updates.
type Written struct {
	Keys  uint64
	Took  time.Duration
	State string // the library's own description of the tree
}

// The phases of a load.
const (
	PhaseLoad   = "load"
	PhaseBuild  = "build" // table by table
	PhaseUpdate = "update"
	PhaseSettle = "settle"
)

// Stage is how far a load is: Done of Total keys of a phase, those that an
// earlier load wrote included, or while it settles how far the tree has come.
type Stage struct {
	Phase       string
	Done, Total uint64                // keys; 0 while settling
	Bytes       uint64                // of the Done keys and their values, as they are handed to the library
	Settling    engine.SettleProgress // only while settling
}

// Progress describes the stage in one line: Done of Total units, 0 if unknown, and a note.
func (s Stage) Progress() (phase string, done, total uint64, unit, note string) {
	if s.Phase == PhaseSettle {
		note = fmt.Sprintf("%d under way, %s due", s.Settling.Compactions, humanize.IBytes(uint64(s.Settling.DebtBytes)))
		return s.Phase, uint64(s.Settling.CompactionsDone), 0, "compactions", note
	}
	return s.Phase, s.Done, s.Total, "keys", ""
}

// New makes the dataset's directory and loads it. The directory must be absent
// or empty; what New made is removed again if the database cannot be created.
func (j *Job) New(ctx context.Context) error {
	return stoppable(ctx, j.loadInterrupted(), func() error { return j.begin(ctx) })
}

func (j *Job) begin(ctx context.Context) error {
	if err := requireEmpty(j.Dir); err != nil {
		return err
	}
	made, err := tempdir.Create(j.Dir)
	if err != nil {
		return fmt.Errorf("cannot make %s: %w", j.Dir, err)
	}
	unlock, err := lockDir(j.Dir)
	if err == nil {
		defer unlock()
		err = requireEmpty(j.Dir) // another load may have begun before the lock
	}
	if err != nil {
		return err
	}
	removeTemporary(j.Dir)
	if j.Manifest.Build != "" {
		return j.newBuild(ctx, made)
	}
	loader, err := j.create()
	if err != nil {
		j.removeCreated(made)
		return noSpace(err, "start again")
	}
	return j.run(ctx, loader)
}

// removeCreated removes what a load made that could not begin.
func (j *Job) removeCreated(made tempdir.Created) {
	j.clearDatabase()
	os.Remove(filepath.Join(j.Dir, dataset.ManifestName))
	os.Remove(filepath.Join(j.Dir, dataset.TreeName))
	made.RemoveEmpty()
}

// create makes the manifest and the database. What is there of a database has no key in it.
func (j *Job) create() (engine.Loader, error) {
	j.clearDatabase()
	if err := j.writeUnfinished(); err != nil {
		return nil, err
	}
	return j.Engine.Create(j.Manifest.DBDir(j.Dir), j.Config)
}

// writeUnfinished writes the manifest of a dataset of which nothing is there yet.
func (j *Job) writeUnfinished() error {
	m := j.Manifest
	m.Complete = false
	m.Progress = &dataset.Progress{}
	m.Created = time.Now().UTC().Truncate(time.Second)
	return m.Write(j.Dir)
}

// Resume continues an interrupted load.
func (j *Job) Resume(ctx context.Context) error {
	return stoppable(ctx, j.loadInterrupted(), func() error { return j.resume(ctx) })
}

func (j *Job) resume(ctx context.Context) error {
	unlock, err := j.lock()
	if err != nil {
		return err
	}
	defer unlock()
	removeTemporary(j.Dir)
	if j.Manifest.Build != "" {
		return j.build(ctx)
	}
	if j.Manifest.Progress == nil { // any key may be there, or missing
		j.Manifest.Progress = &dataset.Progress{Horizon: j.Manifest.Keys}
	}
	dir := j.Manifest.DBDir(j.Dir)
	var loader engine.Loader
	if _, recognised := j.Engine.Recognise(dir); recognised != nil && j.Manifest.Progress.Horizon == 0 {
		loader, err = j.create() // cut short before the database was made
	} else {
		loader, err = j.Engine.Resume(dir, j.Config)
	}
	if err != nil {
		return noSpace(err, j.resumeHint())
	}
	return j.run(ctx, loader)
}

// run loads and settles. It does not wait for a library that has failed: its
// calls may never return.
func (j *Job) run(ctx context.Context, loader engine.Loader) error {
	err := loading.Guard(loader, func() error {
		start, from := time.Now(), j.Manifest.Progress.Durable
		err := j.write(ctx, loader)
		if err == nil {
			j.written(loader, j.Manifest.Keys-from, time.Since(start))
			err = loader.Settle(ctx, func(s engine.SettleProgress) { j.report(Stage{Phase: PhaseSettle, Settling: s}) })
		}
		if e := loader.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
		return j.complete()
	})
	return j.ended(err)
}

// complete writes down that the dataset is whole.
func (j *Job) complete() error {
	j.Manifest.Complete = true
	j.Manifest.Progress = nil
	j.Manifest.Finished = time.Now().UTC().Truncate(time.Second)
	return j.Manifest.Write(j.Dir)
}

// ended says how to go on with a load that an error ended.
func (j *Job) ended(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return j.loadInterrupted()
	case errors.Is(err, syscall.ENOSPC):
		return noSpace(err, j.resumeHint())
	}
	return fmt.Errorf("the load of %s did not finish (%w): %s", j.Dir, err, j.resumeHint())
}

func (j *Job) written(loader engine.Loader, keys uint64, took time.Duration) {
	if j.Written != nil {
		j.Written(Written{Keys: keys, Took: took, State: loader.State()})
	}
}

func (j *Job) report(s Stage) {
	if j.Progress == nil {
		return
	}
	s.Bytes = s.Done * uint64(dataset.KeySize+j.Manifest.ValueSize)
	j.Progress(s)
}
