package pebbledb

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"getio/engine"
)

// WriteCounter counts the bytes written to the files of a database. It is safe for
// concurrent use.
type WriteCounter struct{ tables, logs, other atomic.Int64 }

// IsLog reports whether the file belongs to the write-ahead log.
func IsLog(name string) bool { return strings.HasSuffix(name, ".log") }

// File returns the count for the bytes of the named file.
func (w *WriteCounter) File(name string) *atomic.Int64 {
	switch {
	case filepath.Ext(name) == ".sst":
		return &w.tables
	case IsLog(name):
		return &w.logs
	}
	return &w.other
}

// Written returns the bytes written so far.
func (w *WriteCounter) Written() engine.BytesWritten {
	return engine.BytesWritten{Tables: w.tables.Load(), Logs: w.logs.Load(), Other: w.other.Load()}
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
