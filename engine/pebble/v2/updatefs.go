package pebblev2

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
)

// updateFS is the file system of a database that is read and written at the same time. It
// is a writeFS that counts all reads of tables and all bytes written.
type updateFS struct {
	*writeFS
	counter     *region.Counter
	maps        *region.Live
	writing     pebbledb.WriteCounter
	compensator *pebbledb.Compensator
}

// Open implements vfs.FS. The underlying Open opens for reading only.
func (fs *updateFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	number, isTable := sstfile.FileNumber(name)
	if !isTable {
		return fs.writeFS.Open(name, opts...)
	}
	regions, err := fs.maps.Regions(number, name)
	if err != nil {
		return nil, err
	}
	f, err := fs.writeFS.Open(name, opts...)
	if err != nil {
		return nil, err
	}
	return &tableFile{File: f, reader: f, count: fs.counter.Table(number, regions)}, nil
}

// Create implements vfs.FS.
func (fs *updateFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.writeFS.Create(name, category)
	return fs.wrap(f, err, name)
}

// ReuseForWrite implements vfs.FS.
func (fs *updateFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.writeFS.ReuseForWrite(oldname, newname, category)
	return fs.wrap(f, err, newname)
}

func (fs *updateFS) wrap(f vfs.File, err error, name string) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	counted := countedFile{File: f, written: fs.writing.File(name)}
	if !pebbledb.IsLog(name) {
		return &counted, nil
	}
	fs.compensator.LogCreated()
	return &logFile{countedFile: counted, compensator: fs.compensator}, nil
}

// countedFile counts the bytes written to it.
type countedFile struct {
	vfs.File
	written *atomic.Int64
}

// Write implements vfs.File.
func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.written.Add(int64(n))
	return n, err
}

// WriteAt implements vfs.File.
func (f *countedFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.written.Add(int64(n))
	return n, err
}

// logFile is a file of the write-ahead log. The library creates the memtable that belongs
// to it before it first writes to the file.
type logFile struct {
	countedFile
	compensator *pebbledb.Compensator
	begun       bool
}

// Write implements vfs.File.
func (f *logFile) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.compensator.LogWritten()
	}
	return f.countedFile.Write(p)
}
