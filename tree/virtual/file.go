package virtual

import (
	"errors"
	"io/fs"
	"os"
)

// File is a table as the file systems of both Pebble libraries hand it out, but
// for what they call a file's description. It holds no file open.
type File struct{ *Table }

// errReadOnly is the error of every attempt to write.
var errReadOnly = errors.New("a virtual table is only read")

// errInOrder is the error of reading from a file's start to its end, which no
// library does with a table.
var errInOrder = errors.New("a virtual table is read at offsets only")

// Description describes the table's file.
func (f File) Description() (fs.FileInfo, error) { return os.Stat(f.path) }

// Close implements vfs.File.
func (File) Close() error { return nil }

// Read implements vfs.File; it refuses.
func (File) Read([]byte) (int, error) { return 0, errInOrder }

// Write implements vfs.File; it refuses.
func (File) Write([]byte) (int, error) { return 0, errReadOnly }

// WriteAt implements vfs.File; it refuses.
func (File) WriteAt([]byte, int64) (int, error) { return 0, errReadOnly }

// Preallocate implements vfs.File; it refuses.
func (File) Preallocate(_, _ int64) error { return errReadOnly }

// Sync implements vfs.File: there is nothing to sync.
func (File) Sync() error { return nil }

// SyncTo implements vfs.File: there is nothing to sync.
func (File) SyncTo(int64) (bool, error) { return true, nil }

// SyncData implements vfs.File: there is nothing to sync.
func (File) SyncData() error { return nil }

// Prefetch implements vfs.File: what is made cannot be fetched beforehand.
func (File) Prefetch(_, _ int64) error { return nil }

// Fd implements vfs.File: there is no descriptor, as the libraries write it.
func (File) Fd() uintptr { return ^uintptr(0) }
