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

// pace has a store written no faster than it compacts: between two waits for its compactions, its
// batches have at most pauseEvery bytes. A node that follows its chain has seconds between blocks and
// leaves its store the same time. Without pauses, the tables that compactions find, and so what a lookup
// reads afterwards, depend on how fast the machine is at that moment.
//
// It also flushes memtables before they are full. Pebble's skip list draws the heights of its towers at random, so that
// a full memtable ends with one batch in one load and with the next batch in another. Of three loads of 1M accounts with
// the hash scheme, one therefore read 1.3% more than the others.
type pace struct {
	flush  func() error // writes the memtable to a table
	settle func() error // waits until the store has nothing to do

	mu      sync.Mutex // the path scheme writes in the background
	written int        // bytes since the last pause
	filled  int        // bytes that the memtable takes at most
}

const (
	// pauseEvery is small enough that at most one memtable is flushed between two pauses.
	pauseEvery = memtable / 2
	// flushAt leaves room for a batch, for which Pebble reserves more than it takes.
	flushAt = memtable / 8 * 7
	// entryTakes is more than an entry of a memtable takes on average besides its key and value, in bytes: a node of 24,
	// a tower of 8 for each level, of which it has 1.6, and padding (Pebble's internal/arenaskl).
	entryTakes = 64
	// entryReserved is what Pebble reserves for it: the tower may have 20 levels.
	entryReserved = 200
)

// wrote counts a batch by its changes and the bytes of their keys and values. It flushes and pauses when there is enough.
func (p *pace) wrote(bytes, changes int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written += bytes
	p.filled += bytes + changes*entryTakes
	if bytes+changes*entryReserved >= memtable/2 {
		p.filled = 0 // Pebble flushes so large a batch by itself, and the memtable before it
	}
	full := p.filled >= flushAt
	if !full && p.written < pauseEvery {
		return nil
	}
	if full {
		p.filled = 0
		if err := p.flush(); err != nil {
			return err
		}
	}
	p.written = 0
	return p.settle()
}
