package pebblev2

import (
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine/failure"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
	"getio/system/device"
	"getio/system/filelock"
	"getio/tree/virtual"
)

// readFS is the file system of a read-only open. It denies every write, locks without
// changing the lock file, and counts the reads of tables if it has a catalog.
type readFS struct {
	vfs.FS
	counter *region.Counter
	catalog *sstfile.Catalog // nil: count nothing
	virtual *virtual.Tables  // nil: tables are real
	device  *device.Layer
}

// Open implements vfs.FS. The underlying Open opens for reading only.
func (fs *readFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	number, isTable := sstfile.FileNumber(name)
	if !isTable || fs.catalog == nil {
		return fs.FS.Open(name, opts...)
	}
	regions, err := fs.catalog.TableRegions(number, name)
	if err != nil {
		return nil, err
	}
	f, err := fs.openTable(name, number, opts)
	if err != nil {
		return nil, err
	}
	reader, err := fs.device.Reader(f, name)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &tableFile{File: f, reader: reader, device: fs.device, count: fs.counter.Table(number, regions)}, nil
}

func (fs *readFS) openTable(name string, number uint64, opts []vfs.OpenOption) (vfs.File, error) {
	if fs.virtual == nil {
		return fs.FS.Open(name, opts...)
	}
	t, err := fs.virtual.Table(name, number)
	if err != nil {
		return nil, err
	}
	return virtualFile{virtual.File{Table: t}}, nil
}

// Lock implements vfs.FS.
func (fs *readFS) Lock(name string) (io.Closer, error) { return filelock.ForReading(name) }

// Create implements vfs.FS; it refuses.
func (*readFS) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, failure.Denied("create", name)
}

// Link implements vfs.FS; it refuses.
func (*readFS) Link(_, newname string) error { return failure.Denied("link", newname) }

// OpenReadWrite implements vfs.FS; it refuses.
func (*readFS) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, failure.Denied("open for writing", name)
}

// Remove implements vfs.FS; it refuses.
func (*readFS) Remove(name string) error { return failure.Denied("remove", name) }

// RemoveAll implements vfs.FS; it refuses.
func (*readFS) RemoveAll(name string) error { return failure.Denied("remove", name) }

// Rename implements vfs.FS; it refuses.
func (*readFS) Rename(oldname, _ string) error { return failure.Denied("rename", oldname) }

// ReuseForWrite implements vfs.FS; it refuses.
func (*readFS) ReuseForWrite(oldname, _ string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, failure.Denied("reuse", oldname)
}

// MkdirAll implements vfs.FS; it refuses.
func (*readFS) MkdirAll(dir string, _ os.FileMode) error {
	return failure.Denied("make directory", dir)
}

// tableFile counts the reads of one table.
type tableFile struct {
	vfs.File
	reader io.ReaderAt
	device *device.Layer
	count  region.TableCounter
}

// Prefetch implements vfs.File. Iterators use it to have the kernel read ahead into the
// page cache, which is pointless for reads that bypass the page cache.
func (f *tableFile) Prefetch(off, length int64) error {
	if f.device.PageCache() == device.Bypass {
		return nil
	}
	return f.File.Prefetch(off, length)
}

// ReadAt implements vfs.File.
func (f *tableFile) ReadAt(p []byte, off int64) (int, error) {
	component := f.count.Count(off, len(p))
	n, err := f.reader.ReadAt(p, off)
	f.count.Trace(component, p[:n], off)
	return n, err
}

// virtualFile is a table whose data blocks are generated when they are read.
type virtualFile struct{ virtual.File }
