package gethstate

import "sync"

// pace has a store written no faster than it compacts: between two waits for its compactions, its
// batches have at most pauseEvery bytes. A node that follows its chain has seconds between blocks and
// leaves its store the same time. Without pauses, the tables that compactions find, and so what a lookup
// reads afterwards, depend on how fast the machine is at that moment.
type pace struct {
	settle func() error // waits until the store has nothing to do

	mu      sync.Mutex // the path scheme writes in the background
	written int        // bytes since the last pause
}

// pauseEvery is small enough that at most one memtable is flushed between two pauses.
const pauseEvery = memtable / 2

// wrote counts bytes and pauses when they are enough.
func (p *pace) wrote(bytes int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written += bytes; p.written < pauseEvery {
		return nil
	}
	p.written = 0
	return p.settle()
}
