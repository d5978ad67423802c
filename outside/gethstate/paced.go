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

	mu      sync.Mutex // the path scheme writes in the background
	written int        // bytes since the last pause
}

// pauseEvery is half of a memtable, so that at most one is flushed between two pauses. geth's Pebble
// has four, in half of its cache.
const pauseEvery = storeCache << 20 / 2 / 4 / 2

func (p *paced) NewBatch() ethdb.Batch { return &pacedBatch{p.KeyValueStore.NewBatch(), p} }

func (p *paced) NewBatchWithSize(size int) ethdb.Batch {
	return &pacedBatch{p.KeyValueStore.NewBatchWithSize(size), p}
}

type pacedBatch struct {
	ethdb.Batch
	store *paced
}

func (b *pacedBatch) Write() error {
	if err := b.Batch.Write(); err != nil {
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

// progressIn reads what Pebble says of itself, which is all that geth passes on.
func progressIn(metrics string) (s engine.SettleProgress, err error) {
	var flushes, compactions, inProgress int64
	found := 0
	for line := range strings.Lines(metrics) {
		if n, _ := fmt.Sscanf(line, "Flushes: %d", &flushes); n == 1 {
			found++
		}
		if n, _ := fmt.Sscanf(line, "Compactions: %d", &compactions); n == 1 {
			_, rest, _ := strings.Cut(line, "in progress: ")
			n, _ := fmt.Sscanf(rest, "%d", &inProgress)
			found += n
		}
	}
	if found != 2 {
		return s, fmt.Errorf("geth's Pebble does not say how many flushes and compactions it has made: %q", metrics)
	}
	return engine.SettleProgress{Compactions: inProgress, CompactionsDone: flushes + compactions}, nil
}
