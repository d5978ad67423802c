package gethstate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWritesWait: between two pauses a store takes no more than half of a memtable, and a pause that
// fails fails the write.
func TestWritesWait(t *testing.T) {
	pauses, written := 0, 0
	failed := errors.New("no figures")
	p := &pace{settle: func() error {
		pauses++
		assert.LessOrEqual(t, written, memtable/2)
		written = 0
		if pauses == 9 {
			return failed
		}
		return nil
	}}
	for range 64 {
		written += 1 << 20
		require.NoError(t, p.wrote(1<<20))
	}
	assert.Equal(t, 8, pauses)
	require.ErrorIs(t, p.wrote(memtable), failed)
}
