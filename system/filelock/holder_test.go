package filelock

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHolderIsNamed: the error names the process that has the lock, of either kind.
func TestHolderIsNamed(t *testing.T) {
	for _, kind := range kinds {
		dir := t.TempDir()
		path := filepath.Join(dir, Name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		locked, release := lockElsewhere(t, path, kind)
		require.True(t, locked)
		_, err := ForReading(path)
		require.ErrorIs(t, err, ErrLocked)
		assert.Regexp(t, `is locked by another process, filelock\.test \(process \d+\): stop that process`, err.Error())
		_, err = ForWriting(dir)
		if kind == "fcntl" {
			require.ErrorIs(t, err, ErrLocked)
			assert.Regexp(t, `is locked by another process, filelock\.test \(process \d+\): stop`, err.Error())
		}
		release()
	}
}

func TestExclusiveHolder(t *testing.T) {
	const locks = `1: FLOCK  ADVISORY  READ 10 fe:00:7 0 EOF
2: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF
2: -> POSIX  ADVISORY  WRITE 12 fe:00:7 0 EOF
3: FLOCK  ADVISORY  WRITE 13 fe:00:7 0 EOF
`
	assert.Equal(t, "13", exclusiveHolder(locks, "fe:00:7"), "neither a reader nor a process that waits")
	assert.Empty(t, exclusiveHolder(locks, "fe:01:7"))
	assert.Empty(t, exclusiveHolder("", "fe:00:7"))
}
