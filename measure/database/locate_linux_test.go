package database

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestUnreadableDirectory: the user may not look into the directory above.
func TestUnreadableDirectory(t *testing.T) {
	above := filepath.Join(t.TempDir(), "private")
	dir := filepath.Join(above, "db")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	if os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(above, 0))
		defer os.Chmod(above, 0o700)
	} else {
		const nobody = 65534
		runtime.LockOSThread() // the user for files is the thread's
		defer runtime.UnlockOSThread()
		require.NoError(t, unix.Setfsuid(nobody))
		defer unix.Setfsuid(0)
	}
	_, _, err := Locate(dir)
	assert.ErrorContains(t, err, "this user may not read "+dir+": run getio as root or as the user of the client, or work on a copy")
}
