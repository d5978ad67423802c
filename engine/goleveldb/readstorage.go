package goleveldb

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine/failure"
	"getio/engine/goleveldb/ldbfile"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/system/device"
	"getio/system/filelock"
)

// readStorage is the storage of a read-only open. It denies every write, takes the lock
// without changing its file, and counts the reads of tables.
type readStorage struct {
	dir     *directory
	catalog *ldbfile.Catalog
	counter *region.Counter
	device  *device.Layer
	// opened counts table opens, each of which reads a footer.
	opened atomic.Int64
	// held, unless nil, keeps the filters and indexes of open tables, whose reads then open the tables.
	held *openBlocks
}

var _ storage.Storage = (*readStorage)(nil)

func (s *readStorage) Lock() (storage.Locker, error) {
	lock, err := filelock.ForReading(filepath.Join(s.dir.path, filelock.Name))
	if err != nil {
		return nil, err
	}
	return unlocker{lock}, nil
}

type unlocker struct{ lock io.Closer }

func (u unlocker) Unlock() { u.lock.Close() }

func (*readStorage) Log(string)                           {} // it is dropped
func (*readStorage) Close() error                         { return nil }
func (s *readStorage) GetMeta() (storage.FileDesc, error) { return s.dir.manifest, nil }

// List implements storage.Storage. The library only lists logs.
func (s *readStorage) List(kinds storage.FileType) (files []storage.FileDesc, err error) {
	if kinds&storage.TypeJournal != 0 {
		files = append(files, s.dir.logs...)
	}
	return files, nil
}

func (s *readStorage) Open(fd storage.FileDesc) (storage.Reader, error) {
	if fd.Type != storage.TypeTable {
		return os.Open(filepath.Join(s.dir.path, fd.String()))
	}
	regions := s.catalog.Regions(uint64(fd.Num))
	if regions == nil {
		return nil, fmt.Errorf("table %s is not part of the tree that was inspected", fd)
	}
	f, err := os.Open(filepath.Join(s.dir.path, s.dir.tables[fd.Num]))
	if err != nil {
		return nil, err
	}
	reader, err := s.device.Reader(f, f.Name())
	if err != nil {
		f.Close()
		return nil, err
	}
	s.opened.Add(1)
	return &countedTable{Reader: f, reader: reader, count: s.counter.Table(uint64(fd.Num), regions), file: uint64(fd.Num), dataEnd: regions.Data.End, held: s.held}, nil
}

func (*readStorage) SetMeta(fd storage.FileDesc) error {
	return failure.Denied("make current", fd.String())
}

func (*readStorage) Create(fd storage.FileDesc) (storage.Writer, error) {
	return nil, failure.Denied("create", fd.String())
}

func (*readStorage) Remove(fd storage.FileDesc) error { return failure.Denied("remove", fd.String()) }

func (*readStorage) Rename(from, _ storage.FileDesc) error {
	return failure.Denied("rename", from.String())
}

// countedTable counts the reads of one table. The library only calls ReadAt.
type countedTable struct {
	storage.Reader
	reader  io.ReaderAt
	count   region.TableCounter
	file    uint64
	dataEnd int64
	held    *openBlocks // nil: the block cache has them
}

func (f *countedTable) ReadAt(p []byte, off int64) (int, error) {
	component := readpath.TableOpen
	if f.held != nil && off >= f.dataEnd {
		f.count.CountOpening(off, len(p))
	} else {
		component = f.count.Count(off, len(p))
	}
	n, err := f.reader.ReadAt(p, off)
	f.count.Trace(component, p[:n], off, 0)
	return n, err
}

func (f *countedTable) Close() error {
	if f.held != nil {
		f.held.release(f.file)
	}
	return f.Reader.Close()
}

// Read implements storage.Reader. It would not be counted.
func (*countedTable) Read([]byte) (int, error) {
	return 0, errors.New("a table is only read block by block")
}
