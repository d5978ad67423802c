package virtual

import (
	"errors"
	"io/fs"
	"os"
)

// File implements the vfs.File of both Pebble libraries, except for their Stat methods. It
// does not hold a file open.
type File struct{ *Table }

// errReadOnly is the error of every write.
var errReadOnly = errors.New("a virtual table is read-only")

// errInOrder is the error of sequential reads, which no library makes of a table.
var errInOrder = errors.New("a virtual table supports only reads at an offset")

// Description describes the table's file.
func (f File) Description() (fs.FileInfo, error) { return os.Stat(f.path) }

// Close implements vfs.File.
func (File) Close() error { return nil }

// Read implements vfs.File; it always fails.
func (File) Read([]byte) (int, error) { return 0, errInOrder }

// Write implements vfs.File; it always fails.
func (File) Write([]byte) (int, error) { return 0, errReadOnly }

// WriteAt implements vfs.File; it always fails.
func (File) WriteAt([]byte, int64) (int, error) { return 0, errReadOnly }

// Preallocate implements vfs.File; it always fails.
func (File) Preallocate(_, _ int64) error { return errReadOnly }

// Sync implements vfs.File: there is nothing to sync.
func (File) Sync() error { return nil }

// SyncTo implements vfs.File: there is nothing to sync.
func (File) SyncTo(int64) (bool, error) { return true, nil }

// SyncData implements vfs.File: there is nothing to sync.
func (File) SyncData() error { return nil }

// Prefetch implements vfs.File: generated data cannot be prefetched.
func (File) Prefetch(_, _ int64) error { return nil }

// Fd implements vfs.File. It returns the libraries' value for no descriptor.
func (File) Fd() uintptr { return ^uintptr(0) }
