package pebbledb

import (
	"sync"
	"time"
)

// Room keeps the room that a block cache has for blocks as it is. An open database
// sets the memory of its memtables aside from its cache: of as many as it happens to
// have, each often larger than a cache worth measuring. Room gives as much back.
//
// The library evicts blocks at once when it sets memory aside. So Room gives back
// beforehand what the next memtable takes, which the library makes between a new
// log and the first write to it, and holds itself to what is set aside once it is made.
// In between, blocks may have room for one memtable more.
type Room struct {
	reserve  func(bytes int) (release func()) // sets memory of the cache aside
	reserved func() int64                     // what memtables take now
	nominal  int64                            // of it, what stays set aside
	memTable int64                            // that the next one takes at most

	mu     sync.Mutex
	given  int64 // back, so far
	seen   int64 // what memtables took at the last look
	making bool  // a memtable is about to be made
	turns  int64 // of making

	wake chan struct{}
	stop chan struct{}
	done sync.WaitGroup
}

// NewRoom returns the Room of a database that c configures, whose cache has reserve.
// Nothing is given back before Keep.
func NewRoom(c *Config, reserve func(int) func()) *Room {
	return &Room{reserve: reserve, nominal: c.ReservedBytes(), memTable: c.MemTableSize, wake: make(chan struct{}, 1), stop: make(chan struct{})}
}

// Keep begins to keep the room, once reserved can tell what memtables take.
func (r *Room) Keep(reserved func() int64) {
	r.reserved = reserved
	r.mu.Lock()
	r.making = false // those of the open are made
	r.mu.Unlock()
	r.look()
	r.look()
	r.done.Go(r.follow)
}

// MakeWay is called when a log was made, and the memtable that goes with it was not.
func (r *Room) MakeWay() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.making = true
	r.turns++
	r.give(r.given + r.memTable)
}

// Made is called when a new log is written to.
func (r *Room) Made() {
	r.mu.Lock()
	r.making = false
	r.mu.Unlock()
	r.Changed()
}

// Changed is called when a memtable was flushed.
func (r *Room) Changed() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// After a change, the room is looked at more often for some looks: what a flushed
// memtable took is free when the last reader has left it.
const (
	looks     = 20
	lookOften = time.Millisecond
	lookIdle  = 20 * time.Millisecond
)

func (r *Room) follow() {
	often := 0 // looks left
	for {
		pause := lookIdle
		if often > 0 {
			often--
			pause = lookOften
		}
		next := time.NewTimer(pause)
		select {
		case <-r.stop:
			next.Stop()
			return
		case <-r.wake:
			next.Stop()
			often = looks
		case <-next.C:
			r.look()
		}
	}
}

// look gives back what memtables take: the most of this look and the last, as the
// library frees memory a moment after it says so.
func (r *Room) look() {
	r.mu.Lock()
	turn := r.turns
	r.mu.Unlock()
	now := r.reserved()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.making && turn == r.turns {
		r.give(max(now, r.seen) - r.nominal)
	}
	r.seen = now
}

func (r *Room) give(bytes int64) {
	if bytes != r.given {
		r.reserve(int(r.given - bytes))
		r.given = bytes
	}
}

// Close ends it, before the database is closed.
func (r *Room) Close() {
	close(r.stop)
	r.done.Wait()
}
