package load

import (
	"context"
	"fmt"

	"getio/engine"
	"getio/load/treewriter"
	"getio/system/tempdir"
	"getio/workload/dataset"
)

// newBuild begins to build a dataset table by table. It writes the tree before the manifest,
// which refers to it.
func (j *Job) newBuild(ctx context.Context, made tempdir.Created) error {
	j.clearDatabase()
	err := j.buildable()
	if err == nil {
		err = j.Manifest.Tree().Write(j.Dir)
	}
	if err == nil {
		err = j.writeUnfinished()
	}
	if err != nil {
		j.removeCreated(made)
		return noSpace(err, "start again")
	}
	made.Keep()
	return j.build(ctx)
}

// buildable returns an error if getio cannot build tables for the engine or its configuration.
func (j *Job) buildable() error {
	b, ok := j.Engine.(engine.Builder)
	if !ok {
		return fmt.Errorf("%s cannot take tables that it did not write itself: load without --shaped and --virtual", j.Engine.Name())
	}
	_, err := b.TableOptions(j.Config)
	return err
}

// build writes the tables that are not durable yet and completes the dataset.
func (j *Job) build(ctx context.Context) error {
	if err := j.buildable(); err != nil {
		return err
	}
	m := j.Manifest
	values, err := m.NewValues()
	if err != nil {
		return err
	}
	if m.Progress == nil {
		m.Progress = &dataset.Progress{}
	}
	b := treewriter.Job{
		Engine: j.Engine.(engine.Builder), Config: j.Config,
		Dataset: j.Dir, DB: m.DBDir(j.Dir), Tree: m.Tree(), Values: values, Seed: m.Seed,
		Virtual: m.Build == dataset.BuildVirtual, Workers: j.Workers,
		Durable: int(min(m.Progress.Durable, uint64(len(m.Tree().Tables)))),
		Checkpoint: func(durable int) error {
			m.Progress = &dataset.Progress{Durable: uint64(durable), Horizon: uint64(durable)}
			return m.Write(j.Dir)
		},
		Progress: func(keys uint64) { j.report(Stage{Phase: PhaseBuild, Done: keys, Total: m.Keys}) },
	}
	if err = b.Run(ctx); err == nil {
		err = j.complete()
	}
	return j.ended(err)
}
