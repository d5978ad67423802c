package groundtruth

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	// The program uses these. The test imports them so that the go command does not reuse
	// a cached result when they change.
	_ "getio/engine/pebble/v1"
	_ "getio/engine/pebble/v2"
	_ "getio/workload/dataset"
)

// TestCountsAreTheLibrarys compares what the engines count from outside with what patched
// libraries count inside.
func TestCountsAreTheLibrarys(t *testing.T) {
	if testing.Short() {
		t.Skip("builds patched copies of Pebble and loads six databases: not in -short")
	}
	program := buildProbe(t)
	names, err := exec.Command(program, "-test.list", ".").Output()
	check(t, err)
	trees := strings.Fields(string(names))
	assert.Len(t, trees, 6)
	for _, name := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.Command(program, "-test.v", "-test.run", "^"+name+"$").CombinedOutput()
			if t.Logf("%s", out); err != nil || !strings.Contains(string(out), "--- PASS: "+name) {
				t.Errorf("the counts differ: %v", err)
			}
		})
	}
}

// check fails the test for an error, with what a command wrote on stderr.
func check(t *testing.T, err error) {
	t.Helper()
	if exit, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	require.NoError(t, err)
}
