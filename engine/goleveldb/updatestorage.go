package goleveldb

import (
	"path/filepath"
	"sync/atomic"

	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine"
	"getio/engine/region"
)

// updateStorage is the storage of a database that is read and written. It is a writeStorage
// that counts all reads of tables and the bytes written.
type updateStorage struct {
	*writeStorage
	counter *region.Counter
	maps    *region.Live
	// opened counts table opens, each of which reads a footer.
	opened              atomic.Int64
	tables, logs, other atomic.Int64 // bytes written
}

func (s *updateStorage) Open(fd storage.FileDesc) (storage.Reader, error) {
	f, err := s.writeStorage.Open(fd)
	if err != nil || fd.Type != storage.TypeTable {
		return f, err
	}
	regions, err := s.maps.Regions(uint64(fd.Num), filepath.Join(s.dir, fd.String()))
	s.failures.HaltOpen(err)
	s.opened.Add(1)
	return &countedTable{Reader: f, reader: f, count: s.counter.Table(uint64(fd.Num), regions)}, nil
}

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

// countedWriter counts what is written to a file.
type countedWriter struct {
	storage.Writer
	written *atomic.Int64
}

func (f *countedWriter) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	f.written.Add(int64(n))
	return n, err
}
