package pebblev2

import (
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine/pebble/pebbledb"
)

// writeFS is the file system of a database opened for writing. It hides device errors from
// the library, which panics on some of them. If Gets are measured at the same time, it
// counts all reads of tables and all bytes written.
type writeFS struct {
	vfs.FS
	log    *pebbledb.Logger
	tables *tables                // nil: count no reads
	writes *pebbledb.WriteCounter // nil: count no writes
}

// HaltStores also hides device errors from stores of other packages that this process
// opens with the default file system: on a full disk, the library would retry a flush
// forever. Use it only in a process that opens nothing else.
func HaltStores(log *pebbledb.Logger) { vfs.Default = &writeFS{FS: vfs.Default, log: log} }

func (fs *writeFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return fs.tables.open(fs.FS, name, opts)
}

func (fs *writeFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, category)
	return fs.wrap(f, err, name)
}

func (fs *writeFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(oldname, newname, category)
	return fs.wrap(f, err, newname)
}

// OpenDir opens a directory, which the library does to sync it.
func (fs *writeFS) OpenDir(name string) (vfs.File, error) {
	f, err := fs.FS.OpenDir(name)
	if err != nil {
		return nil, fs.log.Halt(err)
	}
	return &writeFile{File: f, log: fs.log}, nil
}

func (fs *writeFS) wrap(f vfs.File, err error, name string) (vfs.File, error) {
	if err != nil {
		return nil, fs.log.Halt(err)
	}
	return &writeFile{File: f, log: fs.log, writes: fs.writes.File(name)}, nil
}

func (fs *writeFS) Link(oldname, newname string) error {
	return fs.log.Halt(fs.FS.Link(oldname, newname))
}

func (fs *writeFS) Rename(oldname, newname string) error {
	return fs.log.Halt(fs.FS.Rename(oldname, newname))
}

func (fs *writeFS) MkdirAll(dir string, perm os.FileMode) error {
	return fs.log.Halt(fs.FS.MkdirAll(dir, perm))
}

// writeFile is a file being written. A failed preallocation is not an error, as in the
// library.
type writeFile struct {
	vfs.File
	log    *pebbledb.Logger
	writes *pebbledb.FileWrites
}

func (f *writeFile) Write(p []byte) (int, error) {
	f.writes.Begin()
	n, err := f.File.Write(p)
	f.writes.Add(n)
	return n, f.log.Halt(err)
}

func (f *writeFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.writes.Add(n)
	return n, f.log.Halt(err)
}

func (f *writeFile) Sync() error     { return f.log.Halt(f.File.Sync()) }
func (f *writeFile) SyncData() error { return f.log.Halt(f.File.SyncData()) }

func (f *writeFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.log.Halt(err)
}
