package filesystem

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	f, err := OpenRegular(path)
	require.NoError(t, err)
	defer f.Close()
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))

	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("pipe", link))
	for path, what := range map[string]string{pipe: "a named pipe", link: "a named pipe", os.DevNull: "a device"} {
		_, err := OpenRegular(path)
		assert.EqualError(t, err, path+" is "+what+", not a file")
	}
	_, err = OpenRegular(filepath.Join(dir, "absent"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
