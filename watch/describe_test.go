package watch

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/numbers/steady"
	"getio/watch/goprogram"
)

// TestWindowsWithoutGets: they are neither in the interval nor in the halves of a trace.
func TestWindowsWithoutGets(t *testing.T) {
	w := &Watch{length: time.Second}
	all := newTally()
	all.gets, all.Count = 1000, 947
	one := []steady.Window{{}, {}, {Gets: 1000, Reads: 940}, {Reads: 7}, {}, {}, {}}
	io := w.describeIOs(one, all)
	require.Len(t, io.Windows, 1)
	assert.EqualValues(t, 947, io.Windows[0].Reads)
	assert.Nil(t, io.CI95)
	before, measured := (&database{windows: one}).secondHalf()
	assert.Zero(t, before)
	assert.Nil(t, measured, "no window is left to warm up")

	late := append([]steady.Window{{}, {}, {}, {}, {}}, steady.Window{Gets: 10, Reads: 10}, steady.Window{Gets: 20, Reads: 10})
	before, measured = (&database{windows: late}).secondHalf()
	assert.EqualValues(t, 10, before)
	require.NotNil(t, measured)
	assert.Equal(t, 0.5, measured.Mean)
}

// TestVersionOfPebble: one module is v1 and, in other builds, a development version before or after it.
func TestVersionOfPebble(t *testing.T) {
	v1, v2 := libraries[0], libraries[1]
	for _, test := range []struct {
		library *library
		version string
		name    string
	}{
		{v1, "v1.1.5", "Pebble v1"},
		{v1, "v0.0.0-20250611194208-8d0f4d1e2b6c", "Pebble"},
		{v1, "", "Pebble"},
		{v2, "v2.1.7", "Pebble v2"},
		{v2, "v2.0.0-20250101000000-0123456789ab", "Pebble v2"},
		{v2, "", "Pebble"},
	} {
		p := &goprogram.Program{Build: &debug.BuildInfo{Deps: []*debug.Module{{Path: test.library.module, Version: test.version}}}}
		got := test.library.in(p)
		assert.Equal(t, test.name, got.name, test.version)
		assert.Equal(t, test.name != "Pebble", got.version != 0)
	}
}
