// Package enginetest is what tests of engines share. The conformance suite that every engine passes is in the tests of
// engine/engines.
package enginetest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/engine"
	"getio/engine/readpath"
)

// Measured runs operate and returns what db counted of it. The self-checks must hold.
func Measured(t *testing.T, db engine.DB, operate func()) engine.Counts {
	t.Helper()
	before := db.Counts()
	operate()
	run := db.Counts().Sub(before)
	Holds(t, db.Check(run))
	return run
}

// Holds requires self-checks that all hold.
func Holds(t *testing.T, checks []readpath.Check) {
	t.Helper()
	assert.NotZero(t, len(checks), "the run was not checked")
	for _, c := range checks {
		assert.True(t, c.OK, "check %s: %s", c.Name, c.Detail)
	}
}

// Fingerprint lists every file below dir with its mode, size, time of change and inode.
func Fingerprint(t testing.TB, dir string) string {
	t.Helper()
	return list(t, dir, func(_ string, fi fs.FileInfo) string {
		return fmt.Sprint(fi.ModTime().UnixNano(), " ", fi.Sys().(*syscall.Stat_t).Ino)
	})
}

// Hashes lists the files below dir with their contents, whatever their times.
func Hashes(t testing.TB, dir string) string {
	t.Helper()
	return list(t, dir, func(path string, fi fs.FileInfo) string {
		if !fi.Mode().IsRegular() {
			return ""
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		return fmt.Sprintf("%x", sha256.Sum256(content))
	})
}

// RequireUnchanged runs operate, which must change nothing in dir.
func RequireUnchanged(t testing.TB, dir string, operate func()) {
	t.Helper()
	before := Fingerprint(t, dir)
	operate()
	assert.Equal(t, before, Fingerprint(t, dir))
}

// list lists every file below dir with its mode, its size and what describe returns.
func list(t testing.TB, dir string, describe func(path string, fi fs.FileInfo) string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		size := fi.Size()
		if d.IsDir() {
			size = 0 // it depends on the file system
		}
		fmt.Fprintln(&out, path, fi.Mode(), size, describe(path, fi))
		return nil
	}))
	return out.String()
}

// RequireError requires an error of one line that contains a text.
func RequireError(t testing.TB, what string, err error, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: no error", what)
	case !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n"):
		t.Errorf("%s: %v", what, err)
	}
}

// CopyOf copies a directory.
func CopyOf(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// Draw draws keys, each by random numbers of its own.
func Draw(t testing.TB, s engine.Sampler, seed uint64, n int) [][]byte {
	t.Helper()
	rands := make([]func() uint64, n)
	for i := range rands {
		rands[i] = rand.New(rand.NewPCG(seed, uint64(i))).Uint64
	}
	keys, err := s.Draw(t.Context(), rands)
	require.NoError(t, err)
	return keys
}

// InMemory has the temporary directories of a test binary lie in memory, where syncing a
// file costs nothing, if there is enough room. Call it from TestMain.
func InMemory() {
	const dir, room = "/dev/shm", 2 << 30
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) == nil && s.Bavail*uint64(s.Bsize) >= room && unix.Access(dir, unix.W_OK) == nil {
		os.Setenv("TMPDIR", dir)
	}
}
