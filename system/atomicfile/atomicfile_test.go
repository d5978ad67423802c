package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestReplace checks contents, mode and links of replaced files, and that a failure changes
// nothing and leaves no temporary file.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link, dangling := filepath.Join(dir, "f"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	for _, err := range []error{
		os.WriteFile(path, []byte("old"), 0o640), os.Symlink(path, link), os.Symlink(filepath.Join(dir, "none"), dangling),
		Replace(link, []byte("new")), ReplaceDurably(filepath.Join(dir, "fresh"), nil),
	} {
		require.NoError(t, err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "new" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", fi.Mode(), err)
	}
	for _, refused := range []string{dangling, dir, filepath.Join(dir, "none", "f")} {
		assert.Error(t, Replace(refused, []byte("x")), "%s was replaced", refused)
		assert.Error(t, ReplaceDurably(refused, []byte("x")), "%s was replaced", refused)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 4 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// TestSyncTree: files and directories are opened, and neither what would never answer nor what leads elsewhere.
func TestSyncTree(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	require.NoError(t, os.MkdirAll(below, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(below, "f"), []byte("x"), 0o600))
	require.NoError(t, unix.Mkfifo(filepath.Join(below, "fifo"), 0o600))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(below, "link")))
	assert.NoError(t, SyncTree(dir))
	assert.ErrorIs(t, SyncTree(filepath.Join(dir, "none")), fs.ErrNotExist)
}

func TestRequireReplaceable(t *testing.T) {
	dir := t.TempDir()
	assert.NoError(t, RequireReplaceable(filepath.Join(dir, "f"), "--out"))
	for _, path := range []string{dir, filepath.Join(dir, "none", "f")} {
		assert.Error(t, RequireReplaceable(path, "--out"), "%s can be replaced", path)
	}
}

// TestLinksOfOthers: as root, a link that another user made is refused, and its target stays.
func TestLinksOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make links of other users")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, os.Lchown(link, 65534, 65534))
	assert.ErrorContains(t, Replace(link, []byte("new")), "it is a symbolic link of another user")
	assert.ErrorContains(t, RequireReplaceable(link, "--out"), "choose another file with --out")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
}

// TestOthersDirectories: as root, what another user has put in the way of a file is refused, and what lies in that user's
// own directory is written.
func TestOthersDirectories(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make links of other users")
	}
	const other = 65534
	dir := t.TempDir()
	roots, theirs := filepath.Join(dir, "roots"), filepath.Join(dir, "theirs")
	for _, err := range []error{
		os.Mkdir(roots, 0o755), os.Mkdir(theirs, 0o755), os.Chown(theirs, other, other),
		os.WriteFile(filepath.Join(roots, "f"), []byte("old"), 0o600), os.Link(filepath.Join(roots, "f"), filepath.Join(theirs, "linked")),
		os.Symlink(roots, filepath.Join(dir, "to-roots")), os.Lchown(filepath.Join(dir, "to-roots"), other, other),
		os.Symlink("theirs", filepath.Join(dir, "to-theirs")), os.Lchown(filepath.Join(dir, "to-theirs"), other, other),
	} {
		require.NoError(t, err)
	}
	for _, name := range []string{"f", "new"} {
		assert.ErrorContains(t, Replace(filepath.Join(dir, "to-roots", name), nil), "another user")
	}
	require.NoError(t, Replace(filepath.Join(dir, "to-theirs", "f"), []byte("new")))
	assert.FileExists(t, filepath.Join(theirs, "f"))
	p, err := Follow(filepath.Join(theirs, "linked"))
	require.NoError(t, err)
	defer p.Close()
	_, err = p.OpenToAppend()
	assert.ErrorContains(t, err, "another user has linked it there")

	// The directory is held, wherever it is moved.
	require.NoError(t, os.Rename(theirs, theirs+"-moved"))
	require.NoError(t, os.Symlink(roots, theirs))
	text, err := os.ReadFile(filepath.Join(filepath.Dir(p.Path()), "f"))
	require.NoError(t, err)
	assert.Equal(t, "new", string(text))
}
