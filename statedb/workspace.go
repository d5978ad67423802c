package statedb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/statedb/adapter"
	"getio/statedb/counter"
	"getio/system/atomicfile"
	"getio/system/filesystem"
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

func (p *Plan) newWorkspace(diskBytes int64) (*workspace, error) {
	if !p.outside() {
		// Directories of other users cannot be removed.
		_, _ = tempdir.RemoveAbandoned(p.Place.ImageIn, temporaryPrefix)
		t, err := tempdir.New(p.Place.ImageIn, temporaryPrefix)
		if err != nil {
			return nil, fmt.Errorf("cannot create a directory for the stores in %s (%w): choose another one", p.Place.ImageIn, err)
		}
		return &workspace{store: filepath.Join(t.Path, "store"), temporary: t}, nil
	}
	at := p.Place
	at.Bytes = diskBytes
	c, err := counter.New(at)
	if err != nil {
		return nil, err
	}
	return &workspace{store: filepath.Join(c.Dir, "store"), counter: c}, nil
}

// fullDisk is the error for a store that its private disk has no room for.
type fullDisk struct {
	bytes int64
	err   error
}

func (f *fullDisk) Error() string {
	return fmt.Sprintf("its private disk of %s is full (%v): give it more space with --size", humanize.IBytes(uint64(f.bytes)), f.err)
}

func (f *fullDisk) Unwrap() error { return f.err }

func (s *workspace) explain(err error) error {
	if s.counter == nil {
		return err
	}
	var st unix.Statfs_t
	if stat := unix.Statfs(s.counter.Dir, &st); stat != nil {
		return err
	}
	if errors.Is(err, unix.ENOSPC) || st.Bavail*uint64(st.Bsize) < 1<<20 {
		return &fullDisk{int64(st.Blocks) * int64(st.Bsize), err}
	}
	return err
}

// written is what the private disk has written, once everything is on it.
func (s *workspace) written() (int64, error) {
	if s.counter == nil {
		return 0, nil
	}
	if err := atomicfile.SyncAll(s.counter.Dir); err != nil {
		return 0, fmt.Errorf("cannot write out the private disk in %s: %w", s.counter.Dir, err)
	}
	n, err := s.counter.Count()
	return n.Device.Written, err
}

// close removes the store and kills what still runs.
func (s *workspace) close() error {
	if s.counter != nil {
		return s.counter.Close()
	}
	return s.temporary.Remove()
}

// start starts an adapter, in the control group if there is one. oneProcessor: it sees and uses one
// processor only.
func (s *workspace) start(ctx context.Context, command []string, timeout time.Duration, oneProcessor bool) (*adapter.Client, error) {
	start := (*exec.Cmd).Start
	if oneProcessor {
		start = startOnOneProcessor
	}
	inGroup := start
	if s.counter != nil {
		inGroup = func(cmd *exec.Cmd) error { return s.counter.StartBy(cmd, start) }
	}
	return adapter.StartBy(ctx, exec.Command(command[0], command[1:]...), inGroup, timeout)
}

// size is the number of bytes that the store takes, without holes. Space reserved beyond the
// end of a file, as for logs, does not count.
func (s *workspace) size() (bytes int64, err error) {
	bytes, err = filesystem.Sum(s.store, func(fi fs.FileInfo) int64 {
		if !fi.Mode().IsRegular() {
			return 0
		}
		return min(fi.Size(), fi.Sys().(*syscall.Stat_t).Blocks*512)
	})
	if err != nil {
		return 0, fmt.Errorf("cannot measure the size of the store in %s: %w", s.store, err)
	}
	return bytes, nil
}
