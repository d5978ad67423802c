package tempdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyUnlockedDirectoriesAreRemoved(t *testing.T) {
	in := t.TempDir()
	held, err := New(in, "a.tmp-")
	require.NoError(t, err)
	left, err := New(in, "a.tmp-")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(left.Path, "file"), nil, 0o600))
	require.NoError(t, left.Leave()) // as if its process were killed
	require.NoError(t, os.Mkdir(filepath.Join(in, "b.tmp-1"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.tmp-file"), nil, 0o600))

	used, err := RemoveAbandoned(in, "a.tmp-")
	require.NoError(t, err)
	assert.Equal(t, []string{held.Name}, used)
	requireNames(t, in, held.Name, "a.tmp-file", "b.tmp-1")
	require.NoError(t, held.Remove())
	requireNames(t, in, "a.tmp-file", "b.tmp-1")
	if used, err := RemoveAbandoned(filepath.Join(in, "missing"), "a"); err != nil || used != nil {
		t.Errorf("in use: %v, error %v", used, err)
	}
	_, err = New(filepath.Join(in, "missing"), "a")
	assert.Error(t, err, "created a directory in a missing one")
}

// TestFailedCleanupKeepsTheDirectory checks that the next start can try again.
func TestFailedCleanupKeepsTheDirectory(t *testing.T) {
	in := t.TempDir()
	left, err := New(in, "a.tmp-")
	require.NoError(t, err)
	require.NoError(t, left.Leave())
	failed := errors.New("failed")
	if _, err := RemoveAbandonedAfter(in, "a.tmp-", func(string) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	requireNames(t, in, left.Name)
	undone := ""
	_, err = RemoveAbandonedAfter(in, "a.tmp-", func(name string) error { undone = name; return nil })
	require.NoError(t, err)
	assert.Equal(t, left.Name, undone)
	requireNames(t, in)
}

func requireNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(want)
	assert.Equal(t, want, names)
}
