package gethstate

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/ethdb"

	"getio/engine"
	"getio/engine/loading"
)

// paced is a store that is written no faster than it compacts: between two waits for its compactions,
// its batches have at most pauseEvery bytes. A node that follows its chain has seconds between blocks
// and leaves its store the same time. Without pauses, the tables that compactions find, and so what a
// lookup reads afterwards, depend on how fast the machine is at that moment.
type paced struct {
	ethdb.KeyValueStore
	ctx context.Context
	// sorts is for batches in random order: they are written in the order of their keys.
	sorts bool

	mu      sync.Mutex // the path scheme writes in the background
	written int        // bytes since the last pause
}

// memtable is the size of a memtable in bytes: geth's Pebble has four, in half of its cache.
const memtable = storeCache << 20 / 2 / 4

// pauseEvery is small enough that at most one memtable is flushed between two pauses.
const pauseEvery = memtable / 2

func (p *paced) NewBatch() ethdb.Batch { return &pacedBatch{p.KeyValueStore.NewBatch(), p} }

func (p *paced) NewBatchWithSize(size int) ethdb.Batch {
	return &pacedBatch{p.KeyValueStore.NewBatchWithSize(size), p}
}

type pacedBatch struct {
	ethdb.Batch
	store *paced
}

func (b *pacedBatch) Write() error {
	write := b.Batch.Write
	if b.store.sorts {
		write = func() error { return writeInOrder(b.Batch, b.store.KeyValueStore) }
	}
	if err := write(); err != nil {
		return err
	}
	return b.store.wrote(b.ValueSize())
}

// wrote counts bytes and pauses when they are enough.
func (p *paced) wrote(bytes int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written += bytes; p.written < pauseEvery {
		return nil
	}
	p.written = 0
	var failed error
	err := loading.Settle(p.ctx, loading.NewFailures(), nil, func() engine.SettleProgress {
		text, err := p.Stat()
		if err != nil {
			failed = err
			return engine.SettleProgress{}
		}
		progress, err := progressIn(text)
		if err != nil {
			failed = err
		}
		return progress
	})
	if err != nil {
		return err
	}
	return failed
}

// progressIn reads what Pebble says of itself, which is all that geth passes on. A flush shows only as
// memtables that wait for it: Pebble leaves small ones in the queue, but never more than one of full
// size (passedFlushThreshold in its compaction.go).
func progressIn(metrics string) (s engine.SettleProgress, err error) {
	var flushes, compactions, inProgress, tables int64
	var size float64
	var unit string
	found := 0
	for line := range strings.Lines(metrics) {
		scan := func(text, format string, to ...any) {
			if n, _ := fmt.Sscanf(text, format, to...); n == len(to) {
				found++
			}
		}
		scan(line, "Flushes: %d", &flushes)
		scan(line, "MemTables: %d (%f%s", &tables, &size, &unit)
		if strings.HasPrefix(line, "Compactions: ") {
			_, rest, _ := strings.Cut(line, "in progress: ")
			scan(line, "Compactions: %d", &compactions)
			scan(rest, "%d", &inProgress)
		}
	}
	if found != 4 {
		return s, fmt.Errorf("geth's Pebble does not say how many flushes and compactions it has made: %q", metrics)
	}
	if unit == "MB)" && size > memtable>>20 || unit == "GB)" {
		inProgress++
	}
	return engine.SettleProgress{Compactions: inProgress, CompactionsDone: flushes + compactions}, nil
}
