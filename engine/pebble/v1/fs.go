// Code generated from engine/pebble/v2/fs.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"io"
	"os"

	"github.com/cockroachdb/pebble/vfs"

	"getio/engine/failure"
	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/pebblestore"
	"getio/engine/pebble/sstfile"
	"getio/engine/virtual"
	"getio/system/filelock"
)

// readFS is the file system of a read-only open. It denies every write, and locks without
// changing the lock file.
type readFS struct {
	vfs.FS
	tables *tables // nil: count no reads
}

func (fs *readFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return fs.tables.Open(name, func() (file, error) { return fs.FS.Open(name, opts...) })
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

type (
	file   = pebbledb.File[fileInfo]
	tables = pebblestore.Tables[fileInfo]
)

// virtualFile is a table whose data blocks are generated when they are read.
type virtualFile struct{ virtual.File }

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
	if _, isTable := sstfile.FileNumber(name); !isTable {
		f, err := fs.FS.Open(name, opts...)
		return f, fs.log.Halt(err)
	}
	f, err := fs.tables.Open(name, func() (file, error) {
		f, err := fs.FS.Open(name, opts...)
		if err != nil {
			return nil, err
		}
		return pebbledb.ReadBack(name, f, fs.log)
	})
	fs.log.HaltOpen(err)
	return f, err
}

func (fs *writeFS) Create(name string) (vfs.File, error) {
	f, err := fs.FS.Create(name)
	return fs.wrap(f, err, name)
}

func (fs *writeFS) ReuseForWrite(oldname, newname string) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(oldname, newname)
	return fs.wrap(f, err, newname)
}

// OpenDir opens a directory, which the library does to sync it.
func (fs *writeFS) OpenDir(name string) (vfs.File, error) {
	f, err := fs.FS.OpenDir(name)
	if err != nil {
		return nil, fs.log.Halt(err)
	}
	return &pebbledb.WrittenFile[fileInfo]{File: f, Log: fs.log}, nil
}

func (fs *writeFS) wrap(f vfs.File, err error, name string) (vfs.File, error) {
	if err != nil {
		return nil, fs.log.Halt(err)
	}
	return &pebbledb.WrittenFile[fileInfo]{File: f, Log: fs.log, Writes: fs.writes.File(name)}, nil
}

func (fs *writeFS) Link(from, to string) error   { return fs.log.Halt(fs.FS.Link(from, to)) }
func (fs *writeFS) Rename(from, to string) error { return fs.log.Halt(fs.FS.Rename(from, to)) }
func (fs *writeFS) MkdirAll(dir string, perm os.FileMode) error {
	return fs.log.Halt(fs.FS.MkdirAll(dir, perm))
}
