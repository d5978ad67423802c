package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/internal/otheruser"
)

// TestClosedWorkingDirectory: who may not search the working directory can still name a file from the root.
func TestClosedWorkingDirectory(t *testing.T) {
	otheruser.Require(t)
	theirs := otheruser.Own(t, filepath.Join(otheruser.Dir(t), "theirs"))
	closed := t.TempDir()
	require.NoError(t, os.Chmod(closed, 0o700))
	t.Chdir(closed)
	runtime.LockOSThread() // whose user for files changes; the thread ends with the test
	_, err := unix.SetfsuidRetUid(otheruser.ID)
	require.NoError(t, err)
	assert.NoError(t, RequireReplaceable(filepath.Join(theirs, "file"), "--out"))
	assert.ErrorIs(t, RequireReplaceable("file", "--out"), unix.EACCES)
	_, err = unix.SetfsuidRetUid(0)
	require.NoError(t, err)
}
