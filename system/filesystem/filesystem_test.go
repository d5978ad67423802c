package filesystem

import (
	"os"
	"path/filepath"
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

	assert.GreaterOrEqual(t, here.UnusedBytes, here.FreeBytes)
	assert.Greater(t, here.Bytes, here.FreeBytes)

	_, err = Of("/proc/self/nothing")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestHolding(t *testing.T) {
	for _, path := range []string{"/proc", "/proc/nothing", "/proc/nothing/below"} {
		fs, err := Holding(path)
		require.NoError(t, err)
		assert.Equal(t, "proc", fs.Type, path)
	}
	t.Chdir("/proc")
	fs, err := Holding("nothing")
	require.NoError(t, err)
	assert.Equal(t, "proc", fs.Type)
}

func TestAllocated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	bytes, err := Allocated(dir)
	require.NoError(t, err)
	assert.Zero(t, bytes)

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "below"), 0o755))
	empty, err := Allocated(dir)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "below", "file"), make([]byte, 100_000), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sparse"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(dir, "sparse"), 1<<40))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	for _, path := range []string{dir, link} {
		bytes, err = Allocated(path)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, bytes, empty+100_000)
		assert.Less(t, bytes, int64(1<<20))
	}
}
