// Code generated from v2/fs.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"io"
	"os"

	"github.com/cockroachdb/pebble/vfs"

	"getio/engine/failure"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
	"getio/system/device"
	"getio/system/filelock"
	"getio/tree/virtual"
)

// readFS is the file system of a read-only open. It denies every write, and locks without
// changing the lock file.
type readFS struct {
	vfs.FS
	tables *tables // nil: count no reads
}

func (fs *readFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return fs.tables.open(fs.FS, name, opts)
}

func (*readFS) Lock(name string) (io.Closer, error) { return filelock.ForReading(name) }
func (*readFS) Link(_, newname string) error        { return failure.Denied("link", newname) }
func (*readFS) Remove(name string) error            { return failure.Denied("remove", name) }
func (*readFS) RemoveAll(name string) error         { return failure.Denied("remove", name) }
func (*readFS) Rename(oldname, _ string) error      { return failure.Denied("rename", oldname) }
func (*readFS) MkdirAll(dir string, _ os.FileMode) error {
	return failure.Denied("make directory", dir)
}

func (*readFS) Create(name string) (vfs.File, error) {
	return nil, failure.Denied("create", name)
}

func (*readFS) OpenReadWrite(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, failure.Denied("open for writing", name)
}

func (*readFS) ReuseForWrite(oldname, _ string) (vfs.File, error) {
	return nil, failure.Denied("reuse", oldname)
}

// tables counts the reads of table files.
type tables struct {
	counter *region.Counter
	regions func(file uint64, path string) (*region.Map, error)
	virtual *virtual.Tables // nil: tables are real
	device  *device.Layer
}

// open opens a file for reading. If it is a table, its reads are counted, unless t is nil.
func (t *tables) open(fs vfs.FS, name string, opts []vfs.OpenOption) (vfs.File, error) {
	number, isTable := sstfile.FileNumber(name)
	if t == nil || !isTable {
		return fs.Open(name, opts...)
	}
	regions, err := t.regions(number, name)
	if err != nil {
		return nil, err
	}
	f, err := t.openTable(fs, name, number, opts)
	if err != nil {
		return nil, err
	}
	reader, err := t.device.Reader(f, name)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &tableFile{File: f, reader: reader, device: t.device, count: t.counter.Table(number, regions)}, nil
}

func (t *tables) openTable(fs vfs.FS, name string, number uint64, opts []vfs.OpenOption) (vfs.File, error) {
	if t.virtual == nil {
		return fs.Open(name, opts...)
	}
	table, err := t.virtual.Table(name, number)
	if err != nil {
		return nil, err
	}
	return virtualFile{virtual.File{Table: table}}, nil
}

// tableFile counts the reads of one table.
type tableFile struct {
	vfs.File
	reader io.ReaderAt
	device *device.Layer
	count  region.TableCounter
}

// Prefetch is what iterators use to have the kernel read ahead into the page cache. That
// is pointless for reads that bypass the page cache.
func (f *tableFile) Prefetch(off, length int64) error {
	if f.device.PageCache() == device.Bypass {
		return nil
	}
	return f.File.Prefetch(off, length)
}

func (f *tableFile) ReadAt(p []byte, off int64) (int, error) {
	component := f.count.Count(off, len(p))
	n, err := f.reader.ReadAt(p, off)
	f.count.Trace(component, p[:n], off)
	return n, err
}

// virtualFile is a table whose data blocks are generated when they are read.
type virtualFile struct{ virtual.File }
