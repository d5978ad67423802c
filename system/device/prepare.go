package device

import (
	"fmt"
	"os"
	"runtime"

	"github.com/dustin/go-humanize"

	"getio/system/pagecache"
)

// Prepare makes ready for a run on tables in the given files, which are all there
// is of them: with Cold it drops their pages, and it is an error if some stay in
// memory; with Bypass it is one if reads of them do not get past the page cache.
// The files are not changed.
func (l *Layer) Prepare(paths []string) error {
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
			return fmt.Errorf("the pages of a table cannot be dropped: %w", err)
		}
		left, err := pagecache.Drop(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("the pages of %s cannot be dropped (%w): leave --page-cache cold out", path, err)
		}
		stayed += left
	}
	if stayed > 0 {
		return fmt.Errorf("%s of the tables stay in memory after their pages were dropped: end what else reads or maps them, or copy the database to a file system on a device, or leave --page-cache cold out",
			humanize.IBytes(uint64(stayed)))
	}
	return nil
}

// try reads the first block of a file past the page cache, and holds it against
// what the kernel accounts to the thread. Some file systems take O_DIRECT and have
// no device, or no way past memory, such as tmpfs. Where the kernel keeps no
// account, nothing is held against it.
func (l *Layer) try(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("a table cannot be tried past the page cache: %w", err)
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
		return noBypass(path, "what was read came from no device")
	}
	return nil
}
