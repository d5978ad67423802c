package pebbledb

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"getio/engine"
)

// WriteCounter counts the bytes written to the files of a database and reports its logs to
// the Compensator. Nil counts nothing. It is safe for concurrent use.
type WriteCounter struct {
	Compensator         *Compensator
	tables, logs, other atomic.Int64
}

// File returns the counter of a file that was just created.
func (w *WriteCounter) File(name string) *FileWrites {
	if w == nil {
		return nil
	}
	switch filepath.Ext(name) {
	case ".sst":
		return &FileWrites{bytes: &w.tables}
	case ".log":
		w.Compensator.LogCreated()
		return &FileWrites{bytes: &w.logs, begin: w.Compensator.LogWritten}
	}
	return &FileWrites{bytes: &w.other}
}

// Written returns the bytes written so far.
func (w *WriteCounter) Written() engine.BytesWritten {
	return engine.BytesWritten{Tables: w.tables.Load(), Logs: w.logs.Load(), Other: w.other.Load()}
}

// FileWrites counts the bytes written to one file. Nil counts nothing.
type FileWrites struct {
	bytes *atomic.Int64
	begin func() // before the first write to a log: the library has created its memtable
}

// Begin must be called before each write.
func (f *FileWrites) Begin() {
	if f != nil && f.begin != nil {
		f.begin()
		f.begin = nil
	}
}

// Add counts n bytes.
func (f *FileWrites) Add(n int) {
	if f != nil {
		f.bytes.Add(int64(n))
	}
}

// Stalls counts and times write stalls. It is safe for concurrent use.
type Stalls struct {
	mu    sync.Mutex
	count int64
	took  time.Duration // total of finished stalls
	since time.Time     // start of the current stall; zero if there is none
}

// Begin records the start of a stall.
func (s *Stalls) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	s.since = time.Now()
}

// End records the end of a stall.
func (s *Stalls) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.since.IsZero() {
		s.took += time.Since(s.since)
		s.since = time.Time{}
	}
}

// Sum returns the number of stalls and their total duration so far.
func (s *Stalls) Sum() (count int64, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	took = s.took
	if !s.since.IsZero() {
		took += time.Since(s.since)
	}
	return s.count, took
}
