package livecopy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReusedLogs copies logs while they are renamed and overwritten, as Pebble does once their
// records are in tables. A log begins with its number or, until it is overwritten, with the one
// before. A copy that begins with a later one was overwritten while it was taken.
func TestReusedLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.Mkdir(dir, 0o700))
	path := func(n int) string { return filepath.Join(dir, fmt.Sprintf("%06d.log", n)) }
	require.NoError(t, os.WriteFile(path(0), make([]byte, 1<<20), 0o600))
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- reuse(path, stop) }()
	taken := 0
	for range 60 {
		c, err := Take(t.Context(), dir)
		if err != nil {
			assert.ErrorContains(t, err, "changes faster than it can be copied")
			continue
		}
		logs, err := filepath.Glob(filepath.Join(c.Dir, "*.log"))
		require.NoError(t, err)
		for _, name := range logs {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			var n int
			_, err = fmt.Sscanf(filepath.Base(name), "%d.log", &n)
			require.NoError(t, err)
			assert.Contains(t, []byte{byte(n), byte(n - 1)}, text[0], name)
			taken++
		}
		require.NoError(t, c.Close())
	}
	close(stop)
	require.NoError(t, <-stopped)
	assert.Positive(t, taken)
}

// reuse renames a log and overwrites it, again and again.
func reuse(path func(int) string, stop <-chan struct{}) error {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := os.Rename(path(n), path(n+1)); err != nil {
			return err
		}
		f, err := os.OpenFile(path(n+1), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		for at := int64(0); at < 1<<20; at += 64 << 10 {
			if _, err := f.WriteAt(bytes.Repeat([]byte{byte(n + 1)}, 64<<10), at); err != nil {
				return err
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
}

// TestBlobFilesAreLinked: like tables, blob files never change once written, and may take most of the space.
func TestBlobFilesAreLinked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for _, name := range []string{"000009.sst", "000010.blob", "CURRENT"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	c, err := Take(t.Context(), dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	for name, linked := range map[string]bool{"000009.sst": true, "000010.blob": true, "CURRENT": false} {
		original, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		taken, err := os.Stat(filepath.Join(c.Dir, name))
		require.NoError(t, err)
		assert.Equal(t, linked, os.SameFile(original, taken), name)
	}
}
