package pebbledb

import (
	"io"
	"os"

	"getio/engine/blockformat"
	"getio/engine/loading"
)

// File is the vfs.File of either library. Info is the type that its Stat returns, the only
// difference between them.
type File[Info any] interface {
	io.ReadWriteCloser
	io.ReaderAt
	io.WriterAt
	Preallocate(offset, length int64) error
	Stat() (Info, error)
	Sync() error
	SyncTo(length int64) (fullSync bool, err error)
	SyncData() error
	Prefetch(offset, length int64) error
	Fd() uintptr
}

// WrittenFile is a file of a database opened for writing. It hides device errors from the
// library. A failed preallocation is not an error, as in the library.
type WrittenFile[Info any] struct {
	File[Info]
	Log    *Logger
	Writes *FileWrites
}

// Stat returns the file's size, without which the library panics.
func (f *WrittenFile[Info]) Stat() (Info, error) {
	fi, err := f.File.Stat()
	return fi, f.Log.Halt(err)
}

// ReadBackFile is a table that the library has written and reads again. It hides errors of its reads and blocks
// with a wrong checksum from the library: compactions of Pebble v1 leave out the keys of such blocks.
type ReadBackFile[Info os.FileInfo] struct {
	File[Info]
	name string
	size int64
	log  *Logger
}

// ReadBack returns a ReadBackFile of an open table, which it closes if it fails. The table must have checksums by
// CRC-32C, which the libraries write unless they are told otherwise.
func ReadBack[Info os.FileInfo](name string, f File[Info], log *Logger) (File[Info], error) {
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &ReadBackFile[Info]{File: f, name: name, size: info.Size(), log: log}, nil
}

// ReadAt implements io.ReaderAt. The libraries read a table in whole blocks, except the footer at its end.
func (f *ReadBackFile[_]) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	if err == nil && off+int64(n) < f.size && !blockformat.Intact(p) {
		err = loading.ErrChecksum
	}
	return n, f.log.HaltRead(f.name, err)
}

func (f *WrittenFile[_]) Write(p []byte) (int, error) {
	f.Writes.Begin()
	n, err := f.File.Write(p)
	f.Writes.Add(n)
	return n, f.Log.Halt(err)
}

func (f *WrittenFile[_]) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.Writes.Add(n)
	return n, f.Log.Halt(err)
}

func (f *WrittenFile[_]) Sync() error     { return f.Log.Halt(f.File.Sync()) }
func (f *WrittenFile[_]) SyncData() error { return f.Log.Halt(f.File.SyncData()) }

func (f *WrittenFile[_]) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.Log.Halt(err)
}
