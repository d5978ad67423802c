package tempdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/otheruser"
)

func TestMain(m *testing.M) {
	otheruser.Acts(map[string]otheruser.Act{"replace": otheruser.ReplaceDirs})
	os.Exit(m.Run())
}

// TestAnotherUserReplacesDirectories: the owner of the directory above renames root's temporary directories and links
// their names to a directory of root's, while root fills and removes them. Nothing is written or removed there.
func TestAnotherUserReplacesDirectories(t *testing.T) {
	otheruser.Require(t)
	top := otheruser.Dir(t)
	in, roots := otheruser.Own(t, filepath.Join(top, "in")), filepath.Join(top, "roots")
	require.NoError(t, os.Mkdir(roots, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(roots, "file"), []byte("root's"), 0o600))
	otheruser.Start(t, "replace", in, roots, "a.tmp-")

	replaced := 0
	for range 1000 {
		d, err := New(in, "a.tmp-")
		if err != nil {
			replaced++ // as soon as it was made
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(d.Path, "file"), []byte("temporary"), 0o600))
		if !d.isThere() {
			replaced++
		}
		require.NoError(t, d.Remove())
		RemoveAbandoned(in, "a.tmp-")
	}
	t.Logf("%d of 1000 directories were replaced", replaced)
	assert.Positive(t, replaced, "the attack never succeeded in replacing a directory")
	text, err := os.ReadFile(filepath.Join(roots, "file"))
	require.NoError(t, err)
	assert.Equal(t, "root's", string(text))
	requireNames(t, roots, "file")
}

// TestOthersDirectoriesStay: directories of other users, without getio's marker or with other names are passed over,
// even if they cannot be opened.
func TestOthersDirectoriesStay(t *testing.T) {
	in := t.TempDir()
	recording := filepath.Join(in, "a.tmp-x")
	unmarked := filepath.Join(in, "a.tmp-0123456789abcdef")
	for _, dir := range []string{recording, unmarked} {
		require.NoError(t, os.Mkdir(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trace"), nil, 0o600))
	}
	want := []string{"a.tmp-x", "a.tmp-0123456789abcdef"}
	if os.Geteuid() == 0 {
		left, err := New(in, "a.tmp-")
		require.NoError(t, err)
		require.NoError(t, left.Leave())
		require.NoError(t, os.Chown(left.Path, otheruser.ID, otheruser.ID))
		want = append(want, left.Name)
	}
	require.NoError(t, os.Symlink(recording, filepath.Join(in, "a.tmp-aaaaaaaaaaaaaaaa")))
	used, err := RemoveAbandoned(in, "a.tmp-")
	require.NoError(t, err)
	assert.Empty(t, used)
	requireNames(t, in, append(want, "a.tmp-aaaaaaaaaaaaaaaa")...)
	requireNames(t, recording, "trace")
}
