// Package pagecache lists the pages of files that the kernel holds in memory and drops them,
// including those that other processes have mapped.
package pagecache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Page is the unit of the page cache, in bytes.
var Page = int64(os.Getpagesize())

// Drop writes back and drops the pages of a file. It returns the number of bytes that stayed in
// memory, or 0 on kernels before 6.5, which do not report it.
func Drop(f *os.File) (stayed int64, err error) {
	if err := dropPages(int(f.Fd())); err != nil {
		return 0, err
	}
	stayed, _, err = Cached(f)
	return stayed, err
}

// Cached returns how many bytes of a file are in the page cache. Linux before 6.5 and other kernels do not
// tell; then known is false.
func Cached(f *os.File) (bytes int64, known bool, err error) {
	stat, err := cached(int(f.Fd()))
	if errors.Is(err, errNoCachestat) {
		return 0, false, nil
	}
	return int64(stat.Cache) * Page, err == nil, err
}

// errNoCachestat means Linux before 6.5, another kernel, or a sandbox that forbids the call.
var errNoCachestat = errors.New("the kernel has no cachestat")

// Files holds all regular files below a directory, including those created later. It is not safe
// for concurrent use.
type Files struct {
	dir         string
	dirs        map[string]time.Time // directories below dir, with their modification times
	files       map[uint64]*file     // by inode
	noCachestat bool                 // only mincore is available, which is slow
}

type file struct {
	*os.File
	name    string
	mapping []byte // made when first needed
	pages   []byte
}

// Open opens the files below a directory, which must be on one file system.
func Open(dir string) (*Files, error) {
	t := &Files{dir: dir, files: map[uint64]*file{}}
	if err := t.rescan(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close closes the files.
func (t *Files) Close() (err error) {
	for _, f := range t.files {
		err = errors.Join(err, f.close())
	}
	t.files = nil
	return err
}

func (f *file) close() error {
	if f.mapping != nil {
		unix.Munmap(f.mapping)
	}
	return f.Close()
}

// settled is the age from which a modification time is reliable. A directory that changes twice
// within the file system's clock resolution of a few milliseconds keeps its modification time.
const settled = 50 * time.Millisecond

func (t *Files) refresh() error {
	for dir, changed := range t.dirs {
		fi, err := os.Stat(dir)
		if err != nil || !fi.ModTime().Equal(changed) {
			return t.rescan()
		}
	}
	return nil
}

func (t *Files) rescan() error {
	t.dirs = map[string]time.Time{}
	found := map[uint64]bool{}
	err := filepath.WalkDir(t.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = t.visit(path, d, found)
		}
		if errors.Is(err, fs.ErrNotExist) && path != t.dir {
			t.dirs[filepath.Dir(path)] = time.Time{} // removed meanwhile: rescan next time
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot list the files in %s: %w", t.dir, err)
	}
	for inode, f := range t.files {
		if !found[inode] {
			f.close()
			delete(t.files, inode)
		}
	}
	return nil
}

func (t *Files) visit(path string, d fs.DirEntry, found map[uint64]bool) error {
	fi, err := d.Info()
	if err != nil {
		return err
	}
	switch {
	case d.IsDir():
		t.dirs[path] = time.Time{}
		if changed := fi.ModTime(); time.Since(changed) > settled {
			t.dirs[path] = changed
		}
	case d.Type().IsRegular():
		inode := fi.Sys().(*syscall.Stat_t).Ino
		found[inode] = true
		return t.open(inode, path)
	}
	return nil
}

func (t *Files) open(inode uint64, path string) error {
	if f, ok := t.files[inode]; ok {
		f.name = path
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	t.files[inode] = &file{File: f, name: path}
	return nil
}

// Dropped holds the number of bytes that Drop found in memory, and the number that stayed.
type Dropped struct {
	Found, Stayed int64
	Most          string // file with the most bytes that stayed
}

// Drop drops the pages of all files, except those that a process has mapped.
func (t *Files) Drop() (d Dropped, err error) {
	var most int64
	err = t.each("drop the pages of %s", func(_ uint64, f *file) error {
		found, stayed, err := t.drop(f)
		d.Found += found
		if d.Stayed += stayed; stayed > most {
			most, d.Most = stayed, f.name
		}
		return err
	})
	return d, err
}

// each calls do for all files. doing is what an error says of one.
func (t *Files) each(doing string, do func(inode uint64, f *file) error) error {
	if err := t.refresh(); err != nil {
		return err
	}
	for inode, f := range t.files {
		if err := do(inode, f); err != nil {
			return fmt.Errorf("cannot "+doing+": %w", f.name, err)
		}
	}
	return nil
}

// ForgetEvictions makes the kernel forget which pages of the files it evicted. Otherwise a page that is read again soon
// enters the active list of pages and stays for longer (Linux's mm/workingset.c), above all one that PageOut evicted, as
// if the machine had lacked memory. The kernel forgets when it drops pages (mapping_try_invalidate in mm/truncate.c).
func (t *Files) ForgetEvictions() error {
	return t.each("drop the pages of %s", func(_ uint64, f *file) error {
		_, err := Drop(f.File)
		return err
	})
}

func (t *Files) drop(f *file) (found, stayed int64, err error) {
	if found, err = t.inMemory(f); err != nil || found == 0 {
		return 0, 0, err
	}
	if _, err = Drop(f.File); err != nil {
		return 0, 0, err
	}
	stayed, err = t.inMemory(f)
	return found, stayed, err
}

// inMemory returns the number of bytes of the file in memory.
func (t *Files) inMemory(f *file) (int64, error) {
	if !t.noCachestat {
		bytes, known, err := Cached(f.File)
		if known || err != nil {
			return bytes, err
		}
		t.noCachestat = true
	}
	n, err := f.residentPages()
	return n * Page, err
}

// residentPages sets which pages of the file are in memory, and returns their number.
func (f *file) residentPages() (n int64, err error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if f.mapping != nil && int64(len(f.mapping)) != fi.Size() {
		if err := unix.Munmap(f.mapping); err != nil {
			return 0, err
		}
		f.mapping, f.pages = nil, nil
	}
	if fi.Size() == 0 {
		return 0, nil
	}
	if f.mapping == nil {
		if f.mapping, err = unix.Mmap(int(f.Fd()), 0, int(fi.Size()), unix.PROT_READ, unix.MAP_SHARED); err != nil {
			return 0, err
		}
		f.pages = make([]byte, (fi.Size()+Page-1)/Page)
	}
	if err := resident(f.mapping, f.pages); err != nil {
		return 0, err
	}
	for _, p := range f.pages {
		n += int64(p & 1)
	}
	return n, nil
}

// Extent is a run of consecutive pages of a file.
type Extent struct {
	Inode        uint64
	First, Pages int64
}

// Resident lists the pages of all files that are in memory. The order of files is unspecified.
func (t *Files) Resident() (extents []Extent, err error) {
	err = t.each("list the pages of %s in memory", func(inode uint64, f *file) error {
		n, err := t.inMemory(f)
		if err == nil && n > 0 {
			n, err = f.residentPages()
		}
		if err == nil && n > 0 {
			extents = append(extents, runs(inode, f.pages)...)
		}
		return err
	})
	return extents, err
}

func runs(inode uint64, pages []byte) (extents []Extent) {
	for i, p := range pages {
		switch {
		case p&1 == 0:
		case i > 0 && pages[i-1]&1 == 1:
			extents[len(extents)-1].Pages++
		default:
			extents = append(extents, Extent{inode, int64(i), 1})
		}
	}
	return extents
}
