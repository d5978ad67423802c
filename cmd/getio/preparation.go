package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"getio/dataset"
	"getio/engine/engines"
	"getio/load"
)

// preparation is what is left to be done for a dataset to be there.
type preparation struct {
	job   *load.Job // nil if nothing is
	begin bool      // nothing is there yet
}

// prepare finds out what is there of the dataset that the job would make, no key of
// which may have been overwritten since. It makes nothing.
func prepare(job *load.Job) (*preparation, error) {
	m, err := dataset.Read(job.Dir)
	if err == nil && len(m.Updates) > 0 {
		return nil, otherDataset(job)
	}
	return prepareUpdated(job)
}

func otherDataset(job *load.Job) error {
	return fmt.Errorf("%s holds another dataset than the one that is wanted here: remove it, or name another directory with --dir", job.Dir)
}

// prepareUpdated is prepare of a dataset whose keys may have been overwritten.
func prepareUpdated(job *load.Job) (*preparation, error) {
	m, err := dataset.Read(job.Dir)
	switch {
	case errors.Is(err, dataset.ErrNoManifest):
		job.Again = sameCommand
		return &preparation{job: job, begin: true}, nil
	case err != nil:
		return nil, err
	case !sameDataset(m, job.Manifest):
		return nil, otherDataset(job)
	case m.Complete:
		return &preparation{}, nil
	}
	rest, err := load.ExistingJob(engines.All(), job.Dir, m, defaultWorkers())
	if err != nil {
		return nil, err
	}
	rest.Again = sameCommand
	return &preparation{job: rest}, nil
}

const sameCommand = "the same command goes on with it"

// sameDataset tells whether two manifests are of the same keys and values in the
// same tables, or in a tree that grew of them in the same way.
func sameDataset(a, b *dataset.Manifest) bool {
	if a.Keys != b.Keys || a.Keyspace != b.Keyspace || a.Values != b.Values || a.ValueSize != b.ValueSize ||
		a.Seed != b.Seed || a.Order != b.Order || a.Build != b.Build || a.Engine != b.Engine || a.Preset != b.Preset {
		return false
	}
	return a.Build == "" || slices.Equal(a.Tree().Tables, b.Tree().Tables)
}

// run makes what is missing.
func (p *preparation) run(c *cobra.Command, w *watch) error {
	if p.job == nil {
		return nil
	}
	defer w.meter.finish()
	w.watchLoad(p.job)
	if p.begin {
		return p.job.New(c.Context())
	}
	return p.job.Resume(c.Context())
}

// about says what run will do, given what it is to make.
func (p *preparation) about(dir, making string) string {
	switch {
	case p.job == nil:
		return dir + " has the dataset already."
	case p.begin:
		return making
	}
	return "Going on with the load in " + dir + " ..."
}

// requireNoFile refuses a file where a directory is to be.
func requireNoFile(dir string) error {
	if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
		return fmt.Errorf("%s is a file: name another directory with --dir", dir)
	}
	return nil
}

// bytesPerKey is what a key takes in the published databases, on disk.
const bytesPerKey = 118

// requireSpace refuses to write tables for which there is no space.
func requireSpace(job *load.Job) error {
	need := job.Manifest.Keys * bytesPerKey
	var fs unix.Statfs_t
	dir := job.Dir
	for unix.Statfs(dir, &fs) != nil {
		if dir == filepath.Dir(dir) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
	if have := fs.Bavail * uint64(fs.Bsize); have < need {
		return fmt.Errorf("its tables take %s and %s are free where %s is to be: name another place with --dir, or leave --real out",
			humanize.IBytes(need), humanize.IBytes(have), job.Dir)
	}
	return nil
}
