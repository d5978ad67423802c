package tempdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestTrustedPaths: links of one's own may lead anywhere that is one's own; what is not there yet is not looked at.
func TestTrustedPaths(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return dir + "/" + name }
	require.NoError(t, os.MkdirAll(at("a/b"), 0o755))
	for link, target := range map[string]string{"absolute": at("a"), "relative": "a/b", "up": "a/b/../..", "dangling": "none", "loop": "loop"} {
		require.NoError(t, os.Symlink(target, at(link)))
	}
	for _, name := range []string{"a/b", "absolute/b/new/newer", "relative/../b", "up/a", "dangling/new", "new", "absolute/.."} {
		assert.NoError(t, RequireTrusted(at(name)), name)
	}
	assert.ErrorIs(t, RequireTrusted(at("loop/x")), unix.ELOOP)
	assert.ErrorContains(t, RequireTrusted(at("new/../b")), "write the path without ..")
	assert.ErrorContains(t, MakeTrusted(at("none/../new"), 0o755), "write the path without ..")
	assert.NoDirExists(t, at("none"))
	require.NoError(t, os.Mkdir(at("shared"), 0o755))
	for mode, trusted := range map[os.FileMode]bool{0o777: false, 0o703: false, 0o777 | os.ModeSticky: true, 0o775: true} {
		require.NoError(t, os.Chmod(at("shared"), mode))
		err := RequireTrusted(at("shared/new"))
		if trusted {
			assert.NoError(t, err, mode)
			continue
		}
		assert.EqualError(t, err, "all users may replace what is in "+at("shared")+": run chmod o-w or chmod +t on it, or choose another directory", mode)
		assert.Error(t, MakeTrusted(at("shared/new"), 0o755))
		assert.NoDirExists(t, at("shared/new"))
	}
	t.Chdir(filepath.Join(dir, "a"))
	assert.NoError(t, RequireTrusted("b/new"))
}
