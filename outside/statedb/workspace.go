package statedb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"getio/dataset"
	"getio/outside/adapter"
	"getio/outside/counter"
	"getio/system/tempdir"
)

// workspace is where a store lies while it is measured.
type workspace struct {
	store     string // directory of the store
	counter   *counter.Counter
	temporary *tempdir.Dir // without a counter
}

// temporaryPrefix names the directories of stores that are not counted from outside.
const temporaryPrefix = "getio-state-"

func (p *Plan) newWorkspace() (*workspace, error) {
	if !p.Outside {
		// Directories of other users cannot be removed.
		_, _ = tempdir.RemoveAbandoned(p.Place.ImageIn, temporaryPrefix)
		t, err := tempdir.New(p.Place.ImageIn, temporaryPrefix)
		if err != nil {
			return nil, fmt.Errorf("cannot create a directory for the stores in %s (%w): choose another one", p.Place.ImageIn, err)
		}
		return &workspace{store: filepath.Join(t.Path, "store"), temporary: t}, nil
	}
	at := p.Place
	if at.Bytes == 0 {
		at.Bytes = p.diskBytes()
	}
	c, err := counter.New(at)
	if err != nil {
		return nil, err
	}
	return &workspace{store: filepath.Join(c.Dir, "store"), counter: c}, nil
}

// diskBytes is the size of a private disk with room for any store during its load: stores with
// hashes of all nodes take up to four times their records, and more until old versions are removed.
func (p *Plan) diskBytes() int64 {
	return int64(p.Keys)*int64(8*(dataset.KeySize+p.ValueSize)) + 1<<30
}

// close removes the store and kills what still runs.
func (s *workspace) close() error {
	if s.counter != nil {
		return s.counter.Close()
	}
	return s.temporary.Remove()
}

// start starts an adapter, in the control group if there is one.
func (s *workspace) start(ctx context.Context, command []string, timeout time.Duration) (*adapter.Client, error) {
	cmd := exec.Command(command[0], command[1:]...)
	if s.counter == nil {
		return adapter.Start(ctx, cmd, timeout)
	}
	return adapter.StartBy(ctx, cmd, s.counter.Start, timeout)
}

// full reports whether the private disk is full.
func (s *workspace) full() bool {
	var st unix.Statfs_t
	return s.counter != nil && unix.Statfs(s.counter.Dir, &st) == nil && st.Bavail*uint64(st.Bsize) < 1<<20
}

// size is the number of bytes that the store takes, without holes. Space reserved beyond the
// end of a file, as for logs, does not count.
func (s *workspace) size() (bytes int64, err error) {
	err = filepath.WalkDir(s.store, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil {
			bytes += min(fi.Size(), fi.Sys().(*syscall.Stat_t).Blocks*512)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("cannot measure the size of the store in %s: %w", s.store, err)
	}
	return bytes, nil
}
