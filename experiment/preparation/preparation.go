// Package preparation makes the missing datasets of an experiment, and finishes the unfinished ones.
package preparation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/load"
	"getio/workload/dataset"
)

// Preparation is what is left to be done for a dataset.
type Preparation struct {
	// Job is the load that is left; nil if the dataset is complete.
	Job   *load.Job
	Fresh bool // nothing is there yet
}

// Dataset finds out what is left of a load. It writes nothing. Another dataset in the
// directory is refused, and one with overwritten keys unless it may have been updated.
func Dataset(job *load.Job, updated bool) (*Preparation, error) {
	m, err := dataset.Read(job.Dir)
	switch {
	case errors.Is(err, dataset.ErrNoManifest):
		job.ResumeHint = sameCommand
		return &Preparation{Job: job, Fresh: true}, nil
	case err != nil:
		return nil, err
	case !sameDataset(m, job.Manifest) || len(m.Updates) > 0 && !updated:
		return nil, fmt.Errorf("%s holds a different dataset: remove it, or choose another directory with --dir", job.Dir)
	case m.Complete:
		return &Preparation{}, nil
	}
	config, err := job.Engine.Configure(m.Preset, m.Overrides())
	if err != nil {
		return nil, err
	}
	return &Preparation{Job: &load.Job{
		Engine: job.Engine, Config: config, Dir: job.Dir, Manifest: m, Workers: job.Workers, ResumeHint: sameCommand,
	}}, nil
}

// sameCommand is how a load that is interrupted is resumed.
const sameCommand = "run the same command again to resume"

// sameDataset reports whether two manifests describe the same keys and values, in the same
// tables or in a tree that grew from them in the same way.
func sameDataset(a, b *dataset.Manifest) bool {
	if a.Keys != b.Keys || a.Keyspace != b.Keyspace || a.Values != b.Values || a.ValueSize != b.ValueSize ||
		a.Seed != b.Seed || a.Order != b.Order || a.Build != b.Build || a.Engine != b.Engine || a.Preset != b.Preset {
		return false
	}
	return a.Build == "" || slices.Equal(a.Tree().Tables, b.Tree().Tables)
}

// Run makes what is missing.
func (p *Preparation) Run(ctx context.Context) error {
	switch {
	case p.Job == nil:
		return nil
	case p.Fresh:
		return p.Job.New(ctx)
	}
	return p.Job.Resume(ctx)
}

// About says what Run will do with the dataset in dir; making says how a new one is made.
func (p *Preparation) About(dir, making string) string {
	switch {
	case p.Job == nil:
		return "The dataset in " + dir + " is complete."
	case p.Fresh:
		return making
	}
	return "Resuming the load in " + dir + " ..."
}

// RequireDirectory refuses a file in place of a directory for datasets.
func RequireDirectory(dir string) error {
	if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
		return fmt.Errorf("%s is a file: choose another directory with --dir", dir)
	}
	return nil
}

// bytesPerKey is the space that a key takes on disk in the published databases.
const bytesPerKey = 118

// RequireSpace refuses a load of complete tables for which the file system has no space.
func RequireSpace(job *load.Job) error {
	need := job.Manifest.Keys * bytesPerKey
	var fs unix.Statfs_t
	dir := job.Dir
	for unix.Statfs(dir, &fs) != nil {
		if dir == filepath.Dir(dir) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
	if free := fs.Bavail * uint64(fs.Bsize); free < need {
		return fmt.Errorf("the tables take %s, and %s are free for %s: choose another directory with --dir, or leave --real out",
			humanize.IBytes(need), humanize.IBytes(free), job.Dir)
	}
	return nil
}

// ScaledOptions scale the published study's configuration down, so that a tree of two million
// keys has the levels and the two-level indexes of a large one: table and level sizes by 16,
// the memtable as far as small caches need.
var ScaledOptions = []string{
	"target_file_size.L0=128KiB", "target_file_size.L1=128KiB", "target_file_size.L2=256KiB", "target_file_size.L3=512KiB",
	"target_file_size.L4=1MiB", "target_file_size.L5=2MiB", "target_file_size.L6=4MiB",
	"lbase_max_bytes=1MiB", "memtable_size=4MiB",
}
