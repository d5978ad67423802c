package pebbledb

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"getio/engine"
)

// Writing counts what is written to the files of a database. It is safe for concurrent use.
type Writing struct{ tables, logs, other atomic.Int64 }

// IsLog tells a file of the write-ahead log.
func IsLog(name string) bool { return strings.HasSuffix(name, ".log") }

// Of is the count that the named file's bytes go to.
func (w *Writing) Of(name string) *atomic.Int64 {
	switch {
	case filepath.Ext(name) == ".sst":
		return &w.tables
	case IsLog(name):
		return &w.logs
	}
	return &w.other
}

// Written is what was written so far.
func (w *Writing) Written() engine.BytesWritten {
	return engine.BytesWritten{Tables: w.tables.Load(), Logs: w.logs.Load(), Other: w.other.Load()}
}

// Stalls counts the times in which the library lets writes wait. It is safe for
// concurrent use.
type Stalls struct {
	mu    sync.Mutex
	count int64
	took  time.Duration // of those that are over
	since time.Time     // of the one under way; zero if there is none
}

// Begin is called when writes begin to wait.
func (s *Stalls) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	s.since = time.Now()
}

// End is called when they go on.
func (s *Stalls) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.since.IsZero() {
		s.took += time.Since(s.since)
		s.since = time.Time{}
	}
}

// Sum is how many there were, and how long they took so far.
func (s *Stalls) Sum() (count int64, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	took = s.took
	if !s.since.IsZero() {
		took += time.Since(s.since)
	}
	return s.count, took
}
