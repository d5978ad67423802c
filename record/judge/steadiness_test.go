package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/numbers/steady"
	"getio/record"
)

// TestWindows: ten Gets are windows of 3, 3 and 4.
func TestWindows(t *testing.T) {
	io := &record.IOsPerGet{Windows: []float64{1. / 3, 2, 1.25}}
	assert.Equal(t, []steady.Window{{Gets: 3, Reads: 1}, {Gets: 3, Reads: 6}, {Gets: 4, Reads: 5}}, Windows(io, 10))
	assert.Empty(t, Windows(io, 2))
}
