package statedb

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestStartOnOneProcessor: the command may use one processor, and this process as many as before.
func TestStartOnOneProcessor(t *testing.T) {
	var before, after unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &before))
	cmd := exec.CommandContext(t.Context(), "nproc")
	var out strings.Builder
	cmd.Stdout = &out
	require.NoError(t, startOnOneProcessor(cmd))
	require.NoError(t, cmd.Wait())
	assert.Equal(t, "1\n", out.String())
	require.NoError(t, unix.SchedGetaffinity(0, &after))
	assert.Equal(t, before, after)
}
