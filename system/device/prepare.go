package device

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"

	"getio/system/pagecache"
)

// Prepare prepares a run that reads the given files, which must be all tables of the database.
// With Cold, it drops their pages and returns an error if some stay in memory. With Bypass, it
// returns an error if reads do not bypass the page cache. It does not change the files. Kernels other than
// Linux can do neither.
func (l *Layer) Prepare(paths []string) error {
	if err := supports(l.PageCache()); err != nil {
		return err
	}
	switch l.PageCache() {
	case Cold:
		return dropAll(paths)
	case Bypass:
		if len(paths) > 0 {
			return l.try(paths[0])
		}
	}
	return nil
}

func dropAll(paths []string) error {
	var stayed int64
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("cannot drop the pages of a table: %w", err)
		}
		left, err := drop(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("cannot drop the pages of %s (%w): leave --page-cache cold out", path, err)
		}
		stayed += left
	}
	if stayed > 0 {
		return fmt.Errorf("%s of the tables stay in memory after their pages were dropped: end the processes that read or map them, or copy the database to a file system on a device, or leave --page-cache cold out",
			humanize.IBytes(uint64(stayed)))
	}
	return nil
}

// The kernel cannot drop a page while it moves or reclaims it, which takes some milliseconds at most.
const (
	dropTries = 20
	dropPause = 5 * time.Millisecond
)

// drop drops the pages of a file and returns how many bytes stay in memory.
func drop(f *os.File) (stayed int64, err error) {
	for range dropTries {
		if stayed, err = pagecache.Drop(f); err != nil || stayed == 0 {
			break
		}
		time.Sleep(dropPause)
	}
	return stayed, err
}

// RequireBypass returns an error if reads of a file cannot bypass the page cache.
func RequireBypass(path string) error { return New(Bypass, Model{}).Prepare([]string{path}) }

// try reads the first block of a file past the page cache, and checks that the kernel counted it
// for the thread: some file systems, such as tmpfs, accept O_DIRECT without having a device. If
// the kernel does not count reads, nothing is checked.
func (l *Layer) try(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read a table past the page cache: %w", err)
	}
	defer f.Close()
	fd := int(f.Fd())
	if err := setDirect(fd); err != nil {
		return noBypass(path, err.Error())
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadBytes()
	if _, err := (&direct{fd: fd, layer: l}).ReadAt(make([]byte, 1), 0); err != nil {
		return noBypass(path, err.Error())
	}
	if _, err := ReadProcessIO(); err == nil && threadBytes() == before {
		return noBypass(path, "a read did not reach a device")
	}
	return nil
}
