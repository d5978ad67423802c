package gethstate

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
)

// busy is a store in memory that says of itself what Pebble says while it flushes a memtable and
// compacts. Looking at it brings its work forward.
type busy struct {
	ethdb.KeyValueStore
	left, done int // compactions; flushes take as many looks before
	stat       error
}

func (b *busy) Stat() (string, error) {
	inProgress, queue := 0, "1 (16MB)"
	switch {
	case b.left > 20:
		b.left, queue = b.left-1, "2 (32MB)"
	case b.left > 0:
		b.left, b.done, inProgress = b.left-1, b.done+1, 1
	}
	return fmt.Sprintf("Flushes: 7\nCompactions: %d  estimated debt: 0B  in progress: %d (0B)  canceled: 0\nMemTables: %s  zombie: 0 (0B)\n", b.done, inProgress, queue), b.stat
}

// TestWritesWaitForCompactions: between two pauses a store takes no more than half of a memtable,
// and a pause ends when no compaction is left.
func TestWritesWaitForCompactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{KeyValueStore: memorydb.New()}
		p := &paced{KeyValueStore: b, ctx: t.Context()}
		written, pauses := 0, 0
		for range 64 {
			b.left = 40
			batch := p.NewBatchWithSize(1 << 20)
			require.NoError(t, batch.Put([]byte{1}, make([]byte, 1<<20-1)))
			require.NoError(t, batch.Write())
			if written += 1 << 20; b.left == 0 {
				pauses++
				assert.LessOrEqual(t, written, 8<<20)
				written = 0
			} else {
				require.Equal(t, 40, b.left, "it looked without need, or left compactions")
			}
		}
		assert.Equal(t, 8, pauses)
	})
}

// TestPausesFail: a pause ends with the store's error, with what it cannot read, and with the context.
func TestPausesFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{KeyValueStore: memorydb.New(), stat: errors.New("no figures")}
		ctx, cancel := context.WithCancel(t.Context())
		p := &paced{KeyValueStore: b, ctx: ctx}
		write := func() error {
			batch := p.NewBatch()
			require.NoError(t, batch.Put([]byte{1}, make([]byte, pauseEvery)))
			return batch.Write()
		}
		require.EqualError(t, write(), "no figures")
		cancel()
		b.stat, b.left = nil, 1<<30
		require.ErrorIs(t, write(), context.Canceled)
	})
	_, err := progressIn("Compactions: 4  estimated debt: 0B\nFlushes: 2\nMemTables: 1 (16MB)\n")
	require.ErrorContains(t, err, "does not say how many")
}

// TestPebbleSaysItsProgress: what geth's Pebble says of itself counts its flushes and compactions, and
// memtables that it need not flush yet are no work.
func TestPebbleSaysItsProgress(t *testing.T) {
	kv, err := pebble.New(t.TempDir(), storeCache, storeHandles, "", false)
	require.NoError(t, err)
	defer kv.Close()
	progress := func() (engine.SettleProgress, string) {
		text, err := kv.Stat()
		require.NoError(t, err)
		p, err := progressIn(text)
		require.NoError(t, err)
		return p, text
	}
	for i := range 300 { // 300 KB: the first memtable has 256 KiB
		require.NoError(t, kv.Put([]byte{byte(i >> 8), byte(i)}, make([]byte, 1000)))
	}
	p, text := progress()
	assert.Contains(t, text, "MemTables: 2 (768KB)")
	assert.Zero(t, p)
	require.NoError(t, kv.Compact(nil, nil)) // flushes, and moves the table down
	p, text = progress()
	assert.Equal(t, engine.SettleProgress{CompactionsDone: 2}, p, text)
}
