// Package load writes and updates datasets: natural ones through an engine's own write path
// and compactions, shaped and virtual ones table by table.
//
// A load works in segments. Before it writes a segment, it records the segment's end in the
// manifest (Horizon); once the segment is written and synced, it records that too (Durable).
// A resumed load first writes the missing keys of the unfinished segment.
package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/loading"
	"getio/system/tempdir"
	"getio/workload/dataset"
)

// segmentKeys is the number of keys written between two syncs.
const segmentKeys = 1 << 20

// Job is one load, or one round of updates.
type Job struct {
	Engine   engine.Engine
	Config   engine.Config
	Dir      string // of the dataset
	Manifest *dataset.Manifest
	Workers  int
	Progress func(Stage) // may be nil
	// Written, which may be nil, is called when all keys are written, before the tree settles.
	Written func(Written)
	// ResumeHint says how to resume an interrupted load. The default names
	// 'getio load DIR --resume'.
	ResumeHint string

	segment uint64 // keys between two syncs; 0 is segmentKeys
}

// Written describes the write phase of a load or of updates.
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

// Stage is the progress of a load: Done of Total keys of a phase, including keys written
// before the load was resumed, or, while the tree settles, the state of its compactions.
type Stage struct {
	Phase       string
	Done, Total uint64                // keys; 0 while settling
	Bytes       uint64                // of the Done keys and their values, before compression
	Settling    engine.SettleProgress // only while settling
}

// Progress returns the parts of a progress line: done of total units (0 if unknown), and a note.
func (s Stage) Progress() (phase string, done, total uint64, unit, note string) {
	if s.Phase == PhaseSettle {
		note = fmt.Sprintf("%d under way, %s due", s.Settling.Compactions, humanize.IBytes(uint64(s.Settling.DebtBytes)))
		return s.Phase, uint64(s.Settling.CompactionsDone), 0, "compactions", note
	}
	return s.Phase, s.Done, s.Total, "keys", ""
}

// New creates the dataset's directory and loads the dataset. The directory must be absent or
// empty. If the database cannot be created, New removes everything it created.
func (j *Job) New(ctx context.Context) error {
	return stoppable(ctx, j.loadInterrupted(), func() error { return j.begin(ctx) })
}

func (j *Job) begin(ctx context.Context) error {
	if err := requireEmpty(j.Dir); err != nil {
		return err
	}
	if err := j.requireSpace("choose a directory on a larger file system, or load fewer keys"); err != nil {
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
	removeUnfinished(j.Dir)
	if j.Manifest.Build != "" {
		return j.newBuild(ctx, made)
	}
	loader, err := j.create()
	if err != nil {
		j.removeCreated(made)
		return noSpace(err, "start again")
	}
	made.Keep()
	return j.run(ctx, loader)
}

// removeCreated removes everything created by a load that could not begin.
func (j *Job) removeCreated(made tempdir.Created) {
	j.clearDatabase()
	os.Remove(filepath.Join(j.Dir, dataset.ManifestName))
	os.Remove(filepath.Join(j.Dir, dataset.TreeName))
	made.RemoveEmpty()
}

// create creates the manifest and the database. It removes any remains of a database: they
// hold no keys.
func (j *Job) create() (engine.Loader, error) {
	j.clearDatabase()
	if err := j.writeUnfinished(); err != nil {
		return nil, err
	}
	return j.Engine.Create(j.Manifest.DBDir(j.Dir), j.Config)
}

// writeUnfinished writes the manifest of a dataset that has no keys yet.
func (j *Job) writeUnfinished() error {
	m := j.Manifest
	m.Complete = false
	m.Progress = &dataset.Progress{}
	m.Created = time.Now().UTC().Truncate(time.Second)
	return m.Write(j.Dir)
}

// Resume continues an interrupted load.
func (j *Job) Resume(ctx context.Context) error {
	return j.locked(ctx, j.loadInterrupted(), func() error { return j.resume(ctx) })
}

func (j *Job) resume(ctx context.Context) error {
	if err := j.requireSpace("free some, then " + j.resumeHint()); err != nil {
		return err
	}
	if j.Manifest.Build != "" {
		return j.build(ctx)
	}
	if j.Manifest.Progress == nil { // any key may be present or missing
		j.Manifest.Progress = &dataset.Progress{Horizon: j.Manifest.Keys}
	}
	dir := j.Manifest.DBDir(j.Dir)
	var loader engine.Loader
	var err error
	if _, recognised := j.Engine.Recognise(dir); recognised != nil && j.Manifest.Progress.Horizon == 0 {
		loader, err = j.create() // interrupted before the database was created
	} else {
		loader, err = j.Engine.Resume(dir, j.Config)
	}
	if err != nil {
		return noSpace(err, j.resumeHint())
	}
	return j.run(ctx, loader)
}

// run writes the keys and settles the tree. It does not wait for a failed library, whose calls
// may never return.
func (j *Job) run(ctx context.Context, loader engine.Loader) error {
	err := loading.Guard(loader, func() error {
		err := j.writeAndSettle(ctx, loader, j.Manifest.Keys-j.Manifest.Progress.Durable, func() error { return j.write(ctx, loader) })
		if err == nil {
			err = j.requireAll(ctx)
		}
		if err != nil {
			return err
		}
		return j.complete()
	})
	return j.ended(err)
}

// writeAndSettle runs write, which writes so many keys, waits until the tree has settled, and closes the database.
func (j *Job) writeAndSettle(ctx context.Context, loader engine.Loader, keys uint64, write func() error) error {
	start := time.Now()
	err := write()
	if err == nil {
		if j.Written != nil {
			j.Written(Written{Keys: keys, Took: time.Since(start), State: loader.State()})
		}
		err = loader.Settle(ctx, j.settling)
	}
	return cmp.Or(err, loader.Close())
}

func (j *Job) settling(s engine.SettleProgress) { j.report(Stage{Phase: PhaseSettle, Settling: s}) }

func (j *Job) complete() error {
	j.Manifest.Complete = true
	j.Manifest.Progress = nil
	j.Manifest.Finished = time.Now().UTC().Truncate(time.Second)
	return j.Manifest.Write(j.Dir)
}

// ended adds to the error that ended a load how to resume it.
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

func (j *Job) report(s Stage) {
	if j.Progress == nil {
		return
	}
	s.Bytes = s.Done * uint64(dataset.KeySize+j.Manifest.ValueSize)
	j.Progress(s)
}
