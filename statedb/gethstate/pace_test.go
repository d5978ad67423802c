package gethstate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWritesWait: between two pauses a store takes no more than half of a memtable, and a pause that
// fails fails the write. A memtable is flushed before it is full.
func TestWritesWait(t *testing.T) {
	pauses, written, filled, flushes := 0, 0, 0, 0
	failed := errors.New("no figures")
	flush := func() error {
		flushes++
		assert.Less(t, filled, memtable)
		filled = 0
		return nil
	}
	p := &pace{flush: flush, settle: func() error {
		pauses++
		assert.LessOrEqual(t, written, memtable/2)
		written = 0
		if pauses == 10 {
			return failed
		}
		return nil
	}}
	for range 64 {
		written += 1 << 20
		filled += 1 << 20
		require.NoError(t, p.wrote(1<<20, 1000))
	}
	assert.Equal(t, 9, pauses)
	assert.Equal(t, 4, flushes)
	require.ErrorIs(t, p.wrote(memtable, 1), failed)
}

// TestLargeBatchesAreNotFlushed: Pebble flushes them itself.
func TestLargeBatchesAreNotFlushed(t *testing.T) {
	pauses := 0
	p := &pace{flush: func() error { return errors.New("flushed") }, settle: func() error { pauses++; return nil }}
	for range 8 {
		require.NoError(t, p.wrote(memtable/2-1000, 100))
		require.NoError(t, p.wrote(1000, 1))
	}
	assert.Equal(t, 8, pauses)
}
