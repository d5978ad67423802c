package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"getio/record"
	"getio/system/filesystem"
	"getio/system/pagecache"
)

// tableNames are how the libraries name tables.
var tableNames = []string{".sst", ".ldb"}

// list counts the files of the database and those of its bytes that the page cache holds.
func (e *examination) list() error {
	cached, known := int64(0), true
	dir, err := filesystem.Real(e.Path) // WalkDir does not follow a link to a directory on another disk
	if err != nil {
		return err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // deleted meanwhile: a client may have the database open
		case errors.Is(err, fs.ErrPermission):
			e.unreadable(path)
			return nil
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			return nil
		}
		fi, err := d.Info()
		if err != nil {
			return skipMissing(err)
		}
		e.files[idOf(fi)] = true
		e.Files.Count++
		e.Files.Bytes += fi.Size()
		if unix.Access(path, unix.R_OK) != nil {
			e.unreadable(path)
			return nil
		}
		if !slices.Contains(tableNames, filepath.Ext(path)) {
			return nil
		}
		e.Files.Tables++
		e.Files.TableBytes += fi.Size()
		e.table = path
		bytes, told, err := cachedBytes(path)
		cached += bytes
		known = known && told
		return skipMissing(err)
	})
	if known && e.Files.Tables > 0 {
		e.Files.CachedBytes = &cached
	}
	return err
}

// fileID identifies a file by device and inode, which are the same in every container.
type fileID struct{ device, inode uint64 }

func idOf(fi fs.FileInfo) fileID {
	st := fi.Sys().(*syscall.Stat_t)
	return fileID{uint64(st.Dev), st.Ino}
}

func (e *examination) unreadable(path string) {
	if e.Files.Unreadable == "" {
		e.Files.Unreadable = path
	}
}

func skipMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func cachedBytes(path string) (bytes int64, known bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, true, err
	}
	defer f.Close()
	return pagecache.Cached(f)
}

// findHolders finds the processes that have files of the database open, apart from this one. Only
// root sees those of other users. They are not known on other kernels than Linux.
func (e *examination) findHolders() {
	if runtime.GOOS != "linux" {
		return
	}
	e.OpenBy = []record.Holder{}
	processes, _ := procfs.AllProcs()
	for _, p := range processes {
		if p.PID == os.Getpid() || !e.holds(p.PID) {
			continue
		}
		name, _ := p.Comm() // empty if it ended
		e.OpenBy = append(e.OpenBy, record.Holder{PID: p.PID, Command: name})
	}
	slices.SortFunc(e.OpenBy, func(a, b record.Holder) int { return a.PID - b.PID })
}

// holds reports whether a process has one of the files open.
func (e *examination) holds(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	descriptors, err := os.ReadDir(dir)
	if err != nil {
		return false // it ended, or belongs to another user
	}
	return slices.ContainsFunc(descriptors, func(d os.DirEntry) bool {
		fi, err := os.Stat(filepath.Join(dir, d.Name()))
		return err == nil && e.files[idOf(fi)]
	})
}
