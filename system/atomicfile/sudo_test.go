package atomicfile

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/otheruser"
)

// TestFilesForSudo: what root makes for a user who called sudo belongs to that user, but only in that user's directories, and
// only if it was not there.
func TestFilesForSudo(t *testing.T) {
	otheruser.Require(t)
	roots := otheruser.Dir(t)
	theirs := otheruser.Own(t, filepath.Join(roots, "theirs"))
	const caller = otheruser.ID - 1 // whose directory none of these is
	for _, c := range []struct{ sudo, inTheirs int }{{0, 0}, {caller, 0}, {otheruser.ID, otheruser.ID}} {
		t.Setenv("SUDO_UID", strconv.Itoa(c.sudo))
		t.Setenv("SUDO_GID", strconv.Itoa(c.sudo))
		for dir, owner := range map[string]int{roots: 0, theirs: c.inTheirs} {
			for name, write := range map[string]func(string) error{"replaced": replaceOne, "appended": appendOne} {
				path := filepath.Join(dir, name)
				require.NoError(t, write(path))
				assert.Equal(t, owner, ownerOf(t, path), "%s for %d", path, c.sudo)
				require.NoError(t, write(path))
				assert.Equal(t, owner, ownerOf(t, path), "%s for %d", path, c.sudo)
				require.NoError(t, os.Remove(path))
			}
		}
	}
	there := filepath.Join(theirs, "there")
	require.NoError(t, os.WriteFile(there, nil, 0o600))
	require.NoError(t, appendOne(there))
	assert.Zero(t, ownerOf(t, there), "a file of root's was given away")
}

func replaceOne(path string) error { return Replace(path, []byte("text")) }

func appendOne(path string) error {
	p, err := Follow(path)
	if err != nil {
		return err
	}
	defer p.Close()
	f, err := p.OpenToAppend()
	if err != nil {
		return err
	}
	return f.Close()
}

func ownerOf(t *testing.T, path string) int {
	t.Helper()
	fi, err := os.Lstat(path)
	require.NoError(t, err)
	return int(fi.Sys().(*syscall.Stat_t).Uid)
}
