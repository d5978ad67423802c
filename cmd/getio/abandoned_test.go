package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/system/tempdir"
)

// abandonName is the program that abandons a command.
const abandonName = "abandon"

// abandonedEnv names the directory in which the test binary, as a program, creates a temporary directory.
const abandonedEnv = "GETIO_TEST_ABANDONED"

// TestAbandonedCommandLeavesNothing: a command that does not end after an interruption, as one that is opening a large
// log, leaves no temporary directory. Nothing can be created after that, so another process does it.
func TestAbandonedCommandLeavesNothing(t *testing.T) {
	in := t.TempDir()
	cmd := exec.Command(abandonName)
	cmd.Env = append(os.Environ(), abandonedEnv+"="+in)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "getio: removing what was created; press Ctrl-C again to stop at once and leave it\n", string(out))
	left, err := os.ReadDir(in)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// abandon runs a command that ignores its context, and interrupts it.
func abandon() {
	stopWithin = time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	c := &cobra.Command{Use: "deaf", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error {
		d, err := tempdir.New(os.Getenv(abandonedEnv), "a-")
		if err == nil {
			err = os.WriteFile(d.Path+"/file", nil, 0o600)
		}
		if err != nil {
			return err
		}
		cancel()
		select {}
	}}
	c.SetArgs(nil)
	c.SetOut(io.Discard)
	if err := runUntil(ctx, c); err != context.Canceled {
		panic(err)
	}
}
