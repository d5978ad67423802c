package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/system/atomicfile"
	"getio/system/filesystem"
	"getio/system/tempdir"
	"getio/workload/dataset"
)

// requireEmpty returns an error if dir holds anything but what a load killed at its start leaves.
func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s is a file, or lies below one: choose a directory that does not exist yet", dir)
	case err != nil:
		return fmt.Errorf("cannot open %s: %w", dir, err)
	}
	var first string
	for _, e := range entries {
		// A build that is killed right after it began leaves a tree without a manifest.
		if first == "" && !atomicfile.IsUnfinished(e.Name()) && e.Name() != dataset.TreeName {
			first = e.Name()
		}
	}
	if first == "" {
		return nil
	}
	switch m, err := dataset.Read(dir); {
	case err != nil:
		return fmt.Errorf("%s is not empty (it holds %s): choose a directory that does not exist yet", dir, first)
	case m.Complete:
		return fmt.Errorf("%s already holds a complete dataset of %d keys: choose another directory, or remove it", dir, m.Keys)
	default:
		return fmt.Errorf("%s holds a dataset whose load did not finish: resume with 'getio load %s --resume', or remove it", dir, dir)
	}
}

// removeUnfinished removes what a killed load has left of a manifest.
func removeUnfinished(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if atomicfile.IsUnfinished(e.Name()) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// clearDatabase removes the database's files but keeps the manifest.
func (j *Job) clearDatabase() {
	dir := j.Manifest.DBDir(j.Dir)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != dataset.ManifestName {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	if filepath.Clean(dir) != filepath.Clean(j.Dir) {
		os.Remove(dir)
	}
}

// lockDir locks a dataset against other loads and updates until unlock is called or the
// process ends. It locks the directory itself, so that it creates no file. On a file system
// that cannot lock directories, only the library's own lock protects the dataset.
func lockDir(dir string) (unlock func(), err error) {
	if err := tempdir.RequireTrusted(dir); err != nil {
		return nil, fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", dir, err)
	}
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		d.Close()
		return nil, fmt.Errorf("%s is locked by another getio that writes to it: wait until it is done, or stop it", dir)
	}
	return func() { d.Close() }, nil
}

// locked runs work on an existing dataset while that is locked, and abandons it soon after an interruption (stoppable).
// It returns an error if the manifest has changed since the job was prepared.
func (j *Job) locked(ctx context.Context, interrupted error, work func() error) error {
	return stoppable(ctx, interrupted, func() error {
		unlock, err := lockDir(j.Dir)
		if err != nil {
			return err
		}
		defer unlock()
		now, err := dataset.Read(j.Dir)
		if err != nil {
			return err
		}
		if !same(now, j.Manifest) {
			return fmt.Errorf("%s was changed by another getio just now: look at it with 'getio inspect %s' and try again", j.Dir, j.Dir)
		}
		removeUnfinished(j.Dir)
		return work()
	})
}

func same(a, b *dataset.Manifest) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// requireSpace returns an error if the dataset surely cannot fit: if its file system has less free space, including what
// an interrupted load has written, than the dataset takes at least. The error ends with the way out.
func (j *Job) requireSpace(wayOut string) error {
	dir := j.Manifest.DBDir(j.Dir)
	fs, err := filesystem.Holding(dir)
	if err != nil || fs.Bytes == 0 { // unknown: the load itself notices a full disk
		return nil
	}
	written, err := filesystem.Allocated(dir)
	if err != nil {
		return nil
	}
	least := j.Manifest.LeastBytes()
	if least <= uint64(fs.UnusedBytes+written) {
		return nil
	}
	part := ""
	if written > 0 {
		part = fmt.Sprintf(" besides the %s that are written", humanize.IBytes(uint64(written)))
	}
	return fmt.Errorf("the keys and values take at least %s, and %s are free for %s%s: %s",
		humanize.IBytes(least), humanize.IBytes(uint64(fs.FreeBytes)), j.Dir, part, wayOut)
}
