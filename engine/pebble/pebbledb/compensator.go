package pebbledb

import (
	"sync"
	"time"

	"getio/engine"
)

// Compensator keeps the memory that a block cache has for blocks constant. An open
// database reserves cache memory for each of its memtables, and one memtable is often
// larger than a cache worth measuring. The Compensator grows the cache by the same amount.
//
// The library evicts blocks as soon as it reserves memory. Therefore the Compensator adds the
// memory of the next memtable in advance, when the library creates a log. The memtable exists when
// the library first writes to the log, which may take many small commits, or when a commit ends that
// began after the log was created: commits follow each other through the step that creates both.
// From then on, the Compensator adds what the memtables really reserve. In between, blocks may have
// the memory of one more memtable.
type Compensator struct {
	reserve  func(bytes int) (release func()) // reserves cache memory; negative: adds some
	reserved func() int64                     // what memtables reserve now
	nominal  int64                            // the part of it that stays reserved
	memTable int64                            // largest reservation of the next memtable

	mu       sync.Mutex
	added    int64 // to the cache, so far
	last     int64 // what memtables reserved at the last adjustment
	creating bool  // the library is about to create a memtable
	logs     int64 // created so far

	wake chan struct{}
	stop chan struct{}
	done sync.WaitGroup
}

// NewCompensator returns the Compensator of a database that c configures. reserve is the cache's.
func NewCompensator(c *Config, reserve func(int) func()) *Compensator {
	return &Compensator{reserve: reserve, nominal: c.ReservedBytes(), memTable: c.MemTableSize, wake: make(chan struct{}, 1), stop: make(chan struct{})}
}

// Start starts following the reservations of an open database. reserved returns the memory
// that its memtables reserve.
func (r *Compensator) Start(reserved func() int64) {
	r.reserved = reserved
	r.mu.Lock()
	r.creating = false // the open has created its memtables
	r.mu.Unlock()
	r.adjust()
	r.adjust()
	r.done.Go(r.follow)
}

// LogCreated must be called after the library has created a log and before it creates the
// memtable for it.
func (r *Compensator) LogCreated() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.creating = true
	r.logs++
	r.setAdded(r.added + r.memTable)
}

// LogWritten must be called at the first write to a new log.
func (r *Compensator) LogWritten() {
	r.mu.Lock()
	r.creating = false
	r.mu.Unlock()
	r.Flushed()
}

// Batch returns a batch of the database that tells the Compensator of its commits.
func (r *Compensator) Batch(b engine.Batch) engine.Batch { return &compensatedBatch{b, r} }

type compensatedBatch struct {
	engine.Batch
	compensator *Compensator
}

func (b *compensatedBatch) Commit() error {
	logs := b.compensator.logsCreated()
	err := b.Batch.Commit()
	b.compensator.committed(logs)
	return err
}

// logsCreated returns how many logs the library has created.
func (r *Compensator) logsCreated() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.logs
}

// committed must be called after a commit, with the number of logs before it. If no log was created
// since, the memtable of the last one exists.
func (r *Compensator) committed(logs int64) {
	r.mu.Lock()
	exists := r.creating && logs == r.logs
	if exists {
		r.creating = false // under the same lock, since another commit may create a log now
	}
	r.mu.Unlock()
	if exists {
		r.Flushed()
	}
}

// Flushed must be called after a memtable was flushed.
func (r *Compensator) Flushed() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// After a change, the Compensator adjusts more often for a while: the memory of a flushed
// memtable is released when its last reader is done.
const (
	adjustments  = 20
	adjustOften  = time.Millisecond
	adjustSeldom = 20 * time.Millisecond
)

func (r *Compensator) follow() {
	often := 0 // frequent adjustments left
	for {
		pause := adjustSeldom
		if often > 0 {
			often--
			pause = adjustOften
		}
		next := time.NewTimer(pause)
		select {
		case <-r.stop:
			next.Stop()
			return
		case <-r.wake:
			next.Stop()
			often = adjustments
		case <-next.C:
			r.adjust()
		}
	}
}

// adjust adds the memory that memtables reserve. It takes the larger of this and the last
// adjustment's, because the library reports memory as released just before it releases it.
func (r *Compensator) adjust() {
	logs := r.logsCreated()
	now := r.reserved()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.creating && logs == r.logs {
		r.setAdded(max(now, r.last) - r.nominal)
	}
	r.last = now
}

func (r *Compensator) setAdded(bytes int64) {
	if bytes != r.added {
		r.reserve(int(r.added - bytes))
		r.added = bytes
	}
}

// Close stops the Compensator. Call it before closing the database.
func (r *Compensator) Close() {
	close(r.stop)
	r.done.Wait()
}
