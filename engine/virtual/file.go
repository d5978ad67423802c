package virtual

import (
	"errors"
	"io/fs"
	"os"
)

// File implements the vfs.File of both Pebble libraries, except for their Stat methods. It
// does not hold a file open.
type File struct{ *Table }

var (
	errReadOnly = errors.New("a virtual table is read-only")
	errInOrder  = errors.New("a virtual table supports only reads at an offset") // no library makes others
)

// Description describes the table's file.
func (f File) Description() (fs.FileInfo, error) { return os.Stat(f.path) }

func (File) Close() error                       { return nil }
func (File) Read([]byte) (int, error)           { return 0, errInOrder }
func (File) Write([]byte) (int, error)          { return 0, errReadOnly }
func (File) WriteAt([]byte, int64) (int, error) { return 0, errReadOnly }
func (File) Preallocate(_, _ int64) error       { return errReadOnly }
func (File) Sync() error                        { return nil }
func (File) SyncTo(int64) (bool, error)         { return true, nil }
func (File) SyncData() error                    { return nil }
func (File) Prefetch(_, _ int64) error          { return nil }         // blocks are generated when they are read
func (File) Fd() uintptr                        { return ^uintptr(0) } // the libraries' value for no descriptor
