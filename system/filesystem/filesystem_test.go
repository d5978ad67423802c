package filesystem

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	proc, err := Of("/proc")
	require.NoError(t, err)
	assert.Equal(t, "proc", proc.Type)
	assert.Zero(t, proc.FreeBytes)

	here, err := Of(t.TempDir())
	require.NoError(t, err)
	assert.Positive(t, here.FreeBytes)
	assert.False(t, here.ReadOnly)

	_, err = Of("/proc/self/nothing")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
