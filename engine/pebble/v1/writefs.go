// Code generated from v2/writefs.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"os"

	"github.com/cockroachdb/pebble/vfs"

	"getio/engine/pebble/pebbledb"
)

// writeFS is the file system of a database opened for writing. It hides device errors from
// the library, which panics on some of them.
type writeFS struct {
	vfs.FS
	log *pebbledb.Logger
}

// HaltStores also hides device errors from stores of other packages that this process
// opens with the default file system: on a full disk, the library would retry a flush
// forever. Use it only in a process that opens nothing else.
func HaltStores(log *pebbledb.Logger) { vfs.Default = &writeFS{FS: vfs.Default, log: log} }

// Create implements vfs.FS.
func (fs *writeFS) Create(name string) (vfs.File, error) {
	f, err := fs.FS.Create(name)
	return fs.wrap(f, err)
}

// ReuseForWrite implements vfs.FS.
func (fs *writeFS) ReuseForWrite(oldname, newname string) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(oldname, newname)
	return fs.wrap(f, err)
}

// OpenDir implements vfs.FS. The library opens directories to sync them.
func (fs *writeFS) OpenDir(name string) (vfs.File, error) {
	f, err := fs.FS.OpenDir(name)
	return fs.wrap(f, err)
}

// Link implements vfs.FS.
func (fs *writeFS) Link(oldname, newname string) error {
	return fs.log.Halt(fs.FS.Link(oldname, newname))
}

// Rename implements vfs.FS.
func (fs *writeFS) Rename(oldname, newname string) error {
	return fs.log.Halt(fs.FS.Rename(oldname, newname))
}

// MkdirAll implements vfs.FS.
func (fs *writeFS) MkdirAll(dir string, perm os.FileMode) error {
	return fs.log.Halt(fs.FS.MkdirAll(dir, perm))
}

func (fs *writeFS) wrap(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, fs.log.Halt(err)
	}
	return &writeFile{File: f, log: fs.log}, nil
}

// writeFile is a file being written. A failed preallocation is not an error, as in the
// library.
type writeFile struct {
	vfs.File
	log *pebbledb.Logger
}

// Write implements vfs.File.
func (f *writeFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.log.Halt(err)
}

// WriteAt implements vfs.File.
func (f *writeFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, f.log.Halt(err)
}

// Sync implements vfs.File.
func (f *writeFile) Sync() error { return f.log.Halt(f.File.Sync()) }

// SyncData implements vfs.File.
func (f *writeFile) SyncData() error { return f.log.Halt(f.File.SyncData()) }

// SyncTo implements vfs.File.
func (f *writeFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.log.Halt(err)
}
