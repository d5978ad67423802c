package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHalfWidths: by Student's t, by the normal distribution if the degrees of freedom are unknown, and none of what was
// counted.
func TestHalfWidths(t *testing.T) {
	tally := CategoryTally{KeysError: new(100.0), KeysFreedom: new(3.0), BytesError: new(1000.0)}
	assert.InDelta(t, 318.245, *tally.KeysHalfWidth(), 0.001)
	assert.InDelta(t, 1959.964, *tally.BytesHalfWidth(), 0.1)
	tally = CategoryTally{BytesError: new(1000.0), BytesFreedom: new(10.0)}
	assert.Nil(t, tally.KeysHalfWidth())
	assert.InDelta(t, 2228.139, *tally.BytesHalfWidth(), 0.001)
}
