package livecopy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/otheruser"
)

func TestMain(m *testing.M) {
	otheruser.Acts(map[string]otheruser.Act{"race": race})
	os.Exit(m.Run())
}

// race replaces copies beside a database, and the files of the database, by links to a directory of root's and to its
// file. paths are the database's parent, its name, and root's directory.
func race(round int, paths []string) {
	above, name, roots := paths[0], paths[1], paths[2]
	otheruser.ReplaceDirs(round, []string{above, roots, name + suffix})
	for _, file := range []string{"000001.sst", "CURRENT"} {
		path := filepath.Join(above, name, file)
		os.Rename(path, path+"-moved")
		os.Symlink(filepath.Join(roots, "file"), path)
		os.Remove(path)
		os.Rename(path+"-moved", path)
	}
}

// TestAnotherUserRacesCopies: the owner of the database replaces root's copy and the database's files by links to root's
// file while root takes copies. The file stays as it is, and no copy has it.
func TestAnotherUserRacesCopies(t *testing.T) {
	otheruser.Require(t)
	top := otheruser.Dir(t)
	above, roots := otheruser.Own(t, filepath.Join(top, "above")), filepath.Join(top, "roots")
	db := otheruser.Own(t, filepath.Join(above, "db"))
	for _, name := range []string{"000001.sst", "CURRENT", "000002.log"} {
		require.NoError(t, os.WriteFile(filepath.Join(db, name), []byte("the database's"), 0o644))
		require.NoError(t, os.Chown(filepath.Join(db, name), otheruser.ID, otheruser.ID))
	}
	require.NoError(t, os.Mkdir(roots, 0o755))
	secret := filepath.Join(roots, "file")
	require.NoError(t, os.WriteFile(secret, []byte("root's"), 0o600))
	original, err := os.Stat(secret)
	require.NoError(t, err)
	otheruser.Start(t, "race", above, "db", roots)

	taken := 0
	for range 1000 {
		c, err := Take(t.Context(), db)
		if err != nil {
			continue
		}
		taken++
		for _, name := range []string{"000001.sst", "CURRENT"} {
			path := filepath.Join(c.Dir, name)
			fi, err := os.Lstat(path)
			if err != nil {
				continue
			}
			assert.True(t, fi.Mode().IsRegular())
			assert.False(t, os.SameFile(original, fi))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, "the database's", string(text))
		}
		require.NoError(t, c.Close())
	}
	t.Logf("%d of 1000 copies were taken", taken)
	text, err := os.ReadFile(secret)
	require.NoError(t, err)
	assert.Equal(t, "root's", string(text))
	entries, err := os.ReadDir(roots)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// TestLinkedFiles: a database's tables and other files may be links to files of the same owner; linked directories,
// such as of a freezer, are not part of it.
func TestLinkedFiles(t *testing.T) {
	dir, elsewhere := filepath.Join(t.TempDir(), "db"), t.TempDir()
	require.NoError(t, os.Mkdir(dir, 0o700))
	for _, name := range []string{"000009.sst", "CURRENT"} {
		require.NoError(t, os.WriteFile(filepath.Join(elsewhere, name), []byte(name), 0o600))
		require.NoError(t, os.Symlink(filepath.Join(elsewhere, name), filepath.Join(dir, name)))
	}
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "ancient")))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	c, err := Take(t.Context(), link)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	for _, name := range []string{"000009.sst", "CURRENT"} {
		fi, err := os.Lstat(filepath.Join(c.Dir, name))
		require.NoError(t, err)
		assert.True(t, fi.Mode().IsRegular(), name)
		text, err := os.ReadFile(filepath.Join(c.Dir, name))
		require.NoError(t, err)
		assert.Equal(t, name, string(text))
	}
	_, err = os.Lstat(filepath.Join(c.Dir, "ancient"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
