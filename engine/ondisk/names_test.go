package ondisk

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSocketBesideFiles: a client's data directory has a socket. A pipe, which may make its reader wait, is refused.
func TestSocketBesideFiles(t *testing.T) {
	t.Chdir(t.TempDir()) // a socket's path must be short
	listener, err := net.Listen("unix", "geth.ipc")
	require.NoError(t, err)
	defer listener.Close()
	names, err := Names(".")
	require.NoError(t, err)
	assert.Equal(t, []string{"geth.ipc"}, names)
	require.NoError(t, syscall.Mkfifo("000001.sst", 0o600))
	_, err = Names(".")
	assert.ErrorContains(t, err, "a database has only files")
}

// TestBytes requires that only a file that is gone takes no bytes.
func TestBytes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "1.log"), make([]byte, 7), 0o644))
	sum, err := Bytes(dir, []string{"1.log", "2.log"})
	require.NoError(t, err)
	assert.EqualValues(t, 7, sum)
	_, err = Bytes(dir, []string{"1.log", strings.Repeat("x", 300)})
	assert.ErrorIs(t, err, syscall.ENAMETOOLONG)
}
