package record

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/numbers/steady"
)

// TestCounted: ten Gets are windows of 3, 3 and 4.
func TestCounted(t *testing.T) {
	io := IOsPerGet{Windows: []float64{1. / 3, 2, 1.25}}
	assert.Equal(t, []steady.Window{{Gets: 3, Reads: 1}, {Gets: 3, Reads: 6}, {Gets: 4, Reads: 5}}, io.Counted(10))
	assert.Empty(t, io.Counted(2))
}
