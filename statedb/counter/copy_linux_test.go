package counter

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// original makes a directory to copy, which has a link within it, and returns a link to it.
func original(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "of", "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "of", "a"), []byte("first"), 0o400))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "of", "sub", "b"), bytes.Repeat([]byte("x"), 20<<20), 0o600))
	require.NoError(t, os.Symlink("../a", filepath.Join(dir, "of", "sub", "link")))
	require.NoError(t, os.Symlink("of", filepath.Join(dir, "by")))
	return filepath.Join(dir, "by")
}

func TestCopy(t *testing.T) {
	c := newCounter(t, 64<<20)
	from := original(t)
	size, err := SizeOf(from)
	require.NoError(t, err)
	if want := (Size{2, 5 + 20<<20}); size != want || DiskFor(size) < size.Bytes {
		t.Errorf("%+v, want %+v; on a disk of %d", size, want, DiskFor(size))
	}
	var copied []int64
	require.NoError(t, c.Copy(context.Background(), from, func(n int64) { copied = append(copied, n) }))
	if len(copied) < 3 || copied[len(copied)-1] != size.Bytes {
		t.Errorf("copied were %v", copied)
	}
	for name, length := range map[string]int{"a": 5, "sub/b": 20 << 20, "sub/link": 5} {
		if data, err := os.ReadFile(filepath.Join(c.Dir, name)); err != nil || len(data) != length {
			t.Errorf("%s has %d bytes, %v", name, len(data), err)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Copy(cancelled, from, func(int64) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestCopyRefusals(t *testing.T) {
	c := newCounter(t, 0)
	assert.ErrorContains(t, c.Copy(context.Background(), original(t), func(int64) {}), "make it larger") // 20 MiB on a disk of 16
	inside := func(dir string) string { return filepath.Join(dir, "entry") }
	for says, prepare := range map[string]func(dir string) (refused string, err error){
		"no such file":       func(dir string) (string, error) { return inside(dir), nil },
		"is not a directory": func(dir string) (string, error) { return inside(dir), os.WriteFile(inside(dir), nil, 0o600) },
		"is a link that leads out of it, through which reads": func(dir string) (string, error) {
			return dir, os.Symlink(dir, inside(dir))
		},
		"is a link that leads out of it":   func(dir string) (string, error) { return dir, os.Symlink("../other", inside(dir)) },
		"is not a file, directory or link": func(dir string) (string, error) { return dir, unix.Mkfifo(inside(dir), 0o600) },
	} {
		dir, err := prepare(t.TempDir())
		require.NoError(t, err)
		_, err = SizeOf(dir)
		assert.ErrorContains(t, err, says)
		assert.ErrorContains(t, err, dir)
	}
}

// TestCopyStaysWithin: a link that another user puts in the place of a file, once it was listed, is not followed out of the
// directory.
func TestCopyStaysWithin(t *testing.T) {
	dir, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("root's"), 0o600))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "file")))
	from, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer from.Close()
	to := filepath.Join(t.TempDir(), "copy")
	assert.ErrorContains(t, copyFile(t.Context(), from, "file", to, func(int64) {}), "escapes")
	assert.NoFileExists(t, to)
}

// TestRun counts a command and its children, starting from an empty page cache.
func TestRun(t *testing.T) {
	c := newCounter(t, 64<<20)
	pagesFile(t, c, 1000)
	command := func(text string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", text)
		cmd.Dir = c.Dir
		return cmd
	}
	ctx := context.Background()
	for range 2 { // the second run finds the page cache empty too
		n, took, err := c.Run(ctx, command("cat file | cat >/dev/null"), 0)
		require.NoError(t, err)
		if n.Device.Bytes != 1000*page || !n.Check().OK || took <= 0 {
			t.Errorf("%+v in %v", n, took)
		}
	}
	_, _, err := c.Run(ctx, command("exit 7"), 0)
	assert.ErrorContains(t, err, "exit status 7")
	_, _, err = c.Run(ctx, command("head -c 100000000 /dev/zero | tail -n 1 >/dev/null; kill -9 $$"), 8<<20)
	assert.ErrorContains(t, err, "killed")
	interrupted, cancel := context.WithCancel(ctx)
	cmd := command("echo begun; sleep 1000")
	cmd.Stdout = writes(cancel)
	if _, _, err := c.Run(interrupted, cmd, 64<<20); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if list, err := c.group.Processes(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

type writes func()

func (w writes) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}
