package twin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/readpath"
)

// window returns a window with the given Gets and data reads per Get.
func window(gets int64, reads float64) *Counts {
	c := &Counts{Gets: gets}
	c.Misses[readpath.Data] = reads * float64(gets)
	return c
}

// TestHistoryHalves: merging windows loses no Gets and no reads.
func TestHistoryHalves(t *testing.T) {
	for _, windows := range []int{1, 2, 7, 100} {
		var c history
		for i := range windows {
			c.add(window(1000, float64(i)))
		}
		c.halve()
		if want := (windows + 1) / 2; len(c.counts) != want {
			t.Errorf("%d windows are halved to %d", windows, len(c.counts))
		}
		gets, reads := int64(0), 0.0
		for _, w := range c.windows() {
			gets, reads = gets+w.Gets, reads+w.Reads
		}
		if want := 1000 * float64(windows*(windows-1)/2); gets != 1000*int64(windows) || reads != want {
			t.Errorf("%d windows: %d Gets and %.0f reads, want %.0f reads", windows, gets, reads, want)
		}
		assert.True(t, c.add(window(1000, 1)), "%d windows: the first one after halving is not checked", windows)
	}
}

// TestHistoryIsCheckedSeldom: all checks, of one step per window each, take at most 70 steps
// per window.
func TestHistoryIsCheckedSeldom(t *testing.T) {
	var c history
	looked := 0
	for range keptWindows {
		if c.add(window(1000, 1)) {
			looked += len(c.counts)
		}
	}
	if most := 70 * keptWindows; looked > most || looked < keptWindows {
		t.Errorf("checks of %d windows took %d steps, want at most %d", keptWindows, looked, most)
	}
}

func TestHistoryBecomesSteady(t *testing.T) {
	var c history
	for i := range 400 {
		reads := 1.0
		if i < 100 {
			reads = 3 - float64(i)/50
		}
		made := int64(i+1) * 10_000
		if c.add(window(10_000, reads)) {
			c.checkSteady(100_000, made)
		}
		if c.steadyAfter > 0 && i < 100 {
			t.Fatalf("steady after %d Gets, while it still falls", c.steadyAfter)
		}
	}
	if c.steadyAfter == 0 || c.steadyAfter > 3_000_000 {
		t.Errorf("steady after %d Gets", c.steadyAfter)
	}
	last := c.lastHalf()
	assert.EqualValues(t, 1, last.IOsPerGet())
}
