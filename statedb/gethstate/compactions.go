package gethstate

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// oneByOne lets one compaction of a store run at a time. Pebble's own scheduler (ConcurrencyLimitScheduler
// of v2.1.7, compaction_scheduler.go) reads ten times per second how many are running. If a flush ends and
// begins a compaction between that and its grant of another, two run side by side, even where one is
// allowed. What the second one finds depends on the moment: of two loads of 20M accounts with the path
// scheme, one had the first such pair after 5M.
type oneByOne struct {
	db pebble.DBForCompaction

	granting sync.Mutex // held during calls of db; never by TrySchedule, whose caller holds db's locks
	mu       sync.Mutex
	running  bool
	closed   bool
}

var _ pebble.CompactionScheduler = (*oneByOne)(nil)

func (s *oneByOne) Register(_ int, db pebble.DBForCompaction) { s.db = db }

func (s *oneByOne) Unregister() {
	s.granting.Lock()
	defer s.granting.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *oneByOne) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.running {
		return false, nil
	}
	s.running = true
	return true, s
}

func (s *oneByOne) UpdateGetAllowedWithoutPermission() {}

// Done ends the running compaction and begins the one that waits. A store that was refused one while
// another was running asks no more: it waits to be granted it.
func (s *oneByOne) Done() {
	s.granting.Lock()
	defer s.granting.Unlock()
	for s.end() {
		if waiting, _ := s.db.GetWaitingCompaction(); !waiting {
			return
		}
		granted, handle := s.TrySchedule()
		if !granted || s.db.Schedule(handle) {
			return // one has begun that will grant the next
		}
	}
}

// end notes that no compaction is running, and tells whether the store may still be asked.
func (s *oneByOne) end() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = false
	return !s.closed
}

// What compactions tell of themselves is of no use here.

func (s *oneByOne) Started()                                          {}
func (s *oneByOne) MeasureCPU(pebble.CompactionGoroutineKind)         {}
func (s *oneByOne) CumulativeStats(pebble.CompactionGrantHandleStats) {}
