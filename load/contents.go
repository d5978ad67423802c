package load

import (
	"context"
	"errors"

	"getio/engine"
	"getio/workload/dataset"
)

// errIncomplete is the error of a library that has lost keys without one.
var errIncomplete = errors.New("the library lost keys, as Pebble v1 does when it cannot read a table that it compacts: check the disk")

// requireAll returns an error if the closed database holds fewer records than keys, and has a resumed load
// write those that are missing.
func (j *Job) requireAll(ctx context.Context) error {
	m, dir := j.Manifest, j.Manifest.DBDir(j.Dir)
	store, err := j.Engine.OpenStore(ctx, dir, j.Config)
	if err != nil {
		return err
	}
	defer store.Close()
	if engine.CheckContents(dir, m, store) == nil {
		m.Levels = engine.LevelsOf(store.Shape())
		return nil
	}
	m.Progress = &dataset.Progress{Horizon: m.Keys}
	return errors.Join(m.Write(j.Dir), errIncomplete)
}

// unsettle removes the levels from the manifest before the tree changes. It is called after the database was opened, so
// that a failure to open it leaves the manifest as it was.
func (j *Job) unsettle() error {
	if j.Manifest.Levels == nil {
		return nil
	}
	j.Manifest.Levels = nil
	return j.Manifest.Write(j.Dir)
}

// noteLevels sets the levels of the closed database. The caller writes the manifest. It ignores cancellation, because all
// data is written already.
func (j *Job) noteLevels(ctx context.Context) error {
	store, err := j.Engine.OpenStore(context.WithoutCancel(ctx), j.Manifest.DBDir(j.Dir), j.Config)
	if err != nil {
		return err
	}
	j.Manifest.Levels = engine.LevelsOf(store.Shape())
	return store.Close()
}
