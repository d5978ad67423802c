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

// busy is a store in memory that says of itself what Pebble says while it compacts. Looking at it
// brings its compactions forward.
type busy struct {
	ethdb.KeyValueStore
	left, done int // compactions
	stat       error
}

func (b *busy) Stat() (string, error) {
	inProgress := 0
	if b.left > 0 {
		b.left, b.done, inProgress = b.left-1, b.done+1, 1
	}
	return fmt.Sprintf("Flushes: 7\nCompactions: %d  estimated debt: 0B  in progress: %d (0B)  canceled: 0\n", b.done, inProgress), b.stat
}

// TestWritesWaitForCompactions: between two pauses a store takes no more than half of a memtable,
// and a pause ends when no compaction is left.
func TestWritesWaitForCompactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{KeyValueStore: memorydb.New()}
		p := &paced{KeyValueStore: b, ctx: t.Context()}
		written, pauses := 0, 0
		for range 64 {
			b.left = 20
			batch := p.NewBatchWithSize(1 << 20)
			require.NoError(t, batch.Put([]byte{1}, make([]byte, 1<<20-1)))
			require.NoError(t, batch.Write())
			if written += 1 << 20; b.left == 0 {
				pauses++
				assert.LessOrEqual(t, written, 8<<20)
				written = 0
			} else {
				require.Equal(t, 20, b.left, "it looked without need, or left compactions")
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
	_, err := progressIn("Compactions: 4  estimated debt: 0B\nFlushes: 2\n")
	require.ErrorContains(t, err, "does not say how many")
}

// TestPebbleSaysItsProgress: what geth's Pebble says of itself counts its flushes and compactions.
func TestPebbleSaysItsProgress(t *testing.T) {
	kv, err := pebble.New(t.TempDir(), storeCache, storeHandles, "", false)
	require.NoError(t, err)
	defer kv.Close()
	require.NoError(t, kv.Put([]byte{1}, []byte{2}))
	require.NoError(t, kv.Compact(nil, nil)) // flushes, and moves the table down
	text, err := kv.Stat()
	require.NoError(t, err)
	progress, err := progressIn(text)
	require.NoError(t, err)
	assert.Equal(t, engine.SettleProgress{CompactionsDone: 2}, progress, text)
}
