package gethstate

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
)

// working is a database whose compactions wait until they may run, as Pebble's do.
type working struct {
	pebble.DBForCompaction
	t         *testing.T
	scheduler *oneByOne
	mu        sync.Mutex
	due       int  // compactions that have not begun
	waiting   bool // refused one, and to be granted it
	running   atomic.Int32
	group     sync.WaitGroup
}

// ask is what Pebble does after each flush and each compaction: it begins what it may.
func (w *working) ask(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due += more
	for !w.waiting && w.due > 0 {
		granted, handle := w.scheduler.TrySchedule()
		if w.waiting = !granted; granted {
			w.begin(handle)
		}
	}
}

func (w *working) begin(handle pebble.CompactionGrantHandle) {
	w.due--
	w.group.Go(func() {
		assert.EqualValues(w.t, 1, w.running.Add(1), "compactions at a time")
		w.running.Add(-1)
		handle.Done()
		w.ask(0)
	})
}

func (w *working) GetWaitingCompaction() (bool, pebble.WaitingCompaction) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = w.waiting && w.due > 0
	return w.waiting, pebble.WaitingCompaction{}
}

func (w *working) Schedule(handle pebble.CompactionGrantHandle) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting = w.waiting && w.due > 0; !w.waiting {
		return false
	}
	w.begin(handle)
	return true
}

// TestCompactionsRunOneByOne: however flushes and compactions end, one compaction runs at a time, and
// none is forgotten.
func TestCompactionsRunOneByOne(t *testing.T) {
	w := &working{t: t, scheduler: &oneByOne{}}
	w.scheduler.Register(2, w)
	for range 8 {
		w.group.Go(func() {
			for range 200 {
				w.ask(3)
			}
		})
	}
	w.group.Wait()
	assert.Zero(t, w.due)

	w.scheduler.Unregister()
	granted, _ := w.scheduler.TrySchedule()
	assert.False(t, granted, "after the database was closed")
}

// TestClosedDatabaseIsNotAsked: a compaction that ends after its database was closed asks for no other.
func TestClosedDatabaseIsNotAsked(t *testing.T) {
	s := &oneByOne{} // asking its database would panic
	_, handle := s.TrySchedule()
	s.Unregister()
	handle.Done()
}
