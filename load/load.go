// Package load writes datasets: the keys, values and order that a manifest
// describes, through an engine's own write path and compactions.
//
// A load works in segments. Before a segment is written, the manifest says how
// far it goes (Horizon); when it is written and synced, the manifest says so
// (Durable). A load that was cut short, by whatever, writes the keys of the
// segment under way again that are not there, and goes on.
package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"getio/dataset"
	"getio/engine"
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
}

// Written is the writing part of a load, or of updates.
type Written struct {
	Keys  uint64
	Took  time.Duration
	State string // the library's own description of the tree
}

// Stage is how far a load is.
type Stage struct {
	Phase       string // load | settle | update
	Done, Total uint64 // keys; Total is 0 while settling
	Settling    engine.Settling
}

// New makes the dataset's directory and loads it. The directory must be absent
// or empty; what New made is removed again if the database cannot be created.
func (j *Job) New(ctx context.Context) error {
	if err := requireEmpty(j.Dir); err != nil {
		return err
	}
	made, err := makeDirs(j.Dir)
	if err != nil {
		return fmt.Errorf("cannot make %s: %w", j.Dir, err)
	}
	m := j.Manifest
	m.Complete = false
	m.Progress = &dataset.Progress{}
	m.Created = time.Now().UTC().Truncate(time.Second)
	if err := m.Write(j.Dir); err != nil {
		removeMade(made)
		return noSpace(err)
	}
	loader, err := j.Engine.Create(m.DBDir(j.Dir), j.Config)
	if err != nil {
		os.RemoveAll(m.DBDir(j.Dir))
		os.Remove(filepath.Join(j.Dir, dataset.ManifestName))
		removeMade(made)
		return err
	}
	return j.run(ctx, loader)
}

// Resume goes on with a load that was cut short.
func (j *Job) Resume(ctx context.Context) error {
	dir := j.Manifest.DBDir(j.Dir)
	var loader engine.Loader
	var err error
	if _, recognised := j.Engine.Recognise(dir); recognised != nil && j.Manifest.Progress.Horizon == 0 {
		// Cut short before the database was made.
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		loader, err = j.Engine.Create(dir, j.Config)
	} else {
		loader, err = j.Engine.Resume(dir, j.Config)
	}
	if err != nil {
		return err
	}
	return j.run(ctx, loader)
}

// run loads and settles. It does not wait for a library that has failed: its
// calls may never return.
func (j *Job) run(ctx context.Context, loader engine.Loader) error {
	return guarded(loader, func() error {
		start, from := time.Now(), j.Manifest.Progress.Durable
		err := j.write(ctx, loader)
		if err == nil {
			j.written(loader, j.Manifest.Keys-from, time.Since(start))
			err = loader.Settle(ctx, func(s engine.Settling) { j.report(Stage{Phase: "settle", Settling: s}) })
		}
		if e := loader.Close(); err == nil {
			err = e
		}
		if err != nil {
			return resumable(j.Dir, err)
		}
		j.Manifest.Complete = true
		j.Manifest.Progress = nil
		j.Manifest.Finished = time.Now().UTC().Truncate(time.Second)
		return j.Manifest.Write(j.Dir)
	})
}

// guarded runs work until it returns or the loader's library fails.
func guarded(loader engine.Loader, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return noSpace(err)
	case err := <-loader.Failed():
		return noSpace(fmt.Errorf("the library failed while writing: %w", err))
	}
}

func (j *Job) written(loader engine.Loader, keys uint64, took time.Duration) {
	if j.Written != nil {
		j.Written(Written{Keys: keys, Took: took, State: loader.State()})
	}
}

func (j *Job) report(s Stage) {
	if j.Progress != nil {
		j.Progress(s)
	}
}

// resumable says how to go on after an interruption.
func resumable(dir string, err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: the dataset in %s is not whole yet, go on with 'getio load %s --resume' (%w)", dir, dir, err)
	}
	return err
}

// noSpace says what to do about a full disk.
func noSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no space is left on the device: free some, then go on with --resume (%w)", err)
	}
	return err
}

// requireEmpty refuses a directory with anything in it.
func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is a file: name a directory that is not there yet", dir)
	case err != nil:
		return fmt.Errorf("cannot look into %s: %w", dir, err)
	}
	if len(entries) == 0 {
		return nil
	}
	switch m, err := dataset.Read(dir); {
	case err != nil:
		return fmt.Errorf("%s is not empty (it holds %s): name a directory that is not there yet", dir, entries[0].Name())
	case m.Complete:
		return fmt.Errorf("%s already holds a complete dataset of %d keys: name another directory, or remove it", dir, m.Keys)
	default:
		return fmt.Errorf("%s holds a dataset whose load did not finish: go on with --resume, or remove it", dir)
	}
}

// makeDirs is os.MkdirAll that returns the topmost directory it made, or "".
func makeDirs(dir string) (made string, err error) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		made = d
		if d == filepath.Dir(d) {
			break
		}
	}
	return made, os.MkdirAll(dir, 0o755)
}

func removeMade(made string) {
	if made != "" {
		os.RemoveAll(made)
	}
}
