package goleveldb

import (
	"path/filepath"
	"sync/atomic"

	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine"
	"getio/engine/region"
)

// updateStorage is the storage of a database that is read and written to:
// writeStorage, which also counts the reads of tables, whoever makes them, and what is
// written.
type updateStorage struct {
	*writeStorage
	counter *region.Counter
	maps    *region.Live
	// opened counts the tables opened, each of which reads its footer.
	opened              atomic.Int64
	tables, logs, other atomic.Int64 // bytes written
}

// Open implements storage.Storage.
func (s *updateStorage) Open(fd storage.FileDesc) (storage.Reader, error) {
	if fd.Type != storage.TypeTable {
		return s.writeStorage.Open(fd)
	}
	regions, err := s.maps.Regions(uint64(fd.Num), filepath.Join(s.dir, fd.String()))
	if err != nil {
		return nil, err
	}
	f, err := s.writeStorage.Open(fd)
	if err != nil {
		return nil, err
	}
	s.opened.Add(1)
	return &countedReader{Reader: f, count: s.counter.Table(uint64(fd.Num), regions)}, nil
}

// Create implements storage.Storage.
func (s *updateStorage) Create(fd storage.FileDesc) (storage.Writer, error) {
	f, err := s.writeStorage.Create(fd)
	if err != nil {
		return nil, err
	}
	return &countedWriter{Writer: f, written: s.writtenTo(fd.Type)}, nil
}

func (s *updateStorage) writtenTo(kind storage.FileType) *atomic.Int64 {
	switch kind {
	case storage.TypeTable:
		return &s.tables
	case storage.TypeJournal:
		return &s.logs
	}
	return &s.other
}

func (s *updateStorage) written() engine.BytesWritten {
	return engine.BytesWritten{Tables: s.tables.Load(), Logs: s.logs.Load(), Other: s.other.Load()}
}

// countedReader counts the reads of one table. The library makes no others than
// ReadAt.
type countedReader struct {
	storage.Reader
	count region.TableCounter
}

// ReadAt implements storage.Reader.
func (f *countedReader) ReadAt(p []byte, off int64) (int, error) {
	component := f.count.Count(off, len(p))
	n, err := f.Reader.ReadAt(p, off)
	f.count.Trace(component, p[:n], off)
	return n, err
}

// Read implements storage.Reader; a read that it made would not be counted.
func (*countedReader) Read([]byte) (int, error) { return 0, errReadWhole }

// countedWriter counts what is written to a file.
type countedWriter struct {
	storage.Writer
	written *atomic.Int64
}

// Write implements storage.Writer.
func (f *countedWriter) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	f.written.Add(int64(n))
	return n, err
}
