package chain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestWindowsFitTheTime: half of a run's time suffices for twenty windows.
func TestWindowsFitTheTime(t *testing.T) {
	n := operations{measured: 10_000, each: time.Millisecond}
	for left, want := range map[time.Duration]int{
		time.Minute:            20,
		20 * time.Second:       20,
		10 * time.Second:       40,
		100 * time.Millisecond: 100,
		-time.Second:           100,
	} {
		assert.Equal(t, want, n.windows(left), left)
	}
	assert.Equal(t, 20, operations{measured: 10_000}.windows(time.Second), "an unknown duration")
	assert.Equal(t, 5, Run{Windows: 20, Operations: 5}.windowsOf())
}
