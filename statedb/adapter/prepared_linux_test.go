package adapter_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
	"getio/statedb/adapter"
)

// TestPreparedCommand checks that a command's own attributes are kept.
func TestPreparedCommand(t *testing.T) {
	cmd := command(t, adaptertest.None)
	cmd.Dir = t.TempDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	c, err := adapter.Start(t.Context(), cmd, time.Minute)
	require.NoError(t, err)
	defer c.End()
	assert.Equal(t, syscall.SIGTERM, cmd.SysProcAttr.Pdeathsig, "what was prepared is gone")
	_, err = c.Open(adapter.Open{Dir: "here"})
	require.NoError(t, err)
	assert.DirExists(t, filepath.Join(cmd.Dir, "here"))
}
