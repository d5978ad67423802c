package filesystem

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	proc, err := Of("/proc")
	require.NoError(t, err)
	assert.Equal(t, "proc", proc.Type)
	assert.Zero(t, proc.FreeBytes)

	here, err := Of(t.TempDir())
	require.NoError(t, err)
	assert.Positive(t, here.FreeBytes)
	assert.False(t, here.ReadOnly)

	assert.GreaterOrEqual(t, here.UnusedBytes, here.FreeBytes)
	assert.Greater(t, here.Bytes, here.FreeBytes)

	_, err = Of("/proc/self/nothing")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestHolding(t *testing.T) {
	for _, path := range []string{"/proc", "/proc/nothing", "/proc/nothing/below"} {
		fs, err := Holding(path)
		require.NoError(t, err)
		assert.Equal(t, "proc", fs.Type, path)
	}
	t.Chdir("/proc")
	fs, err := Holding("nothing")
	require.NoError(t, err)
	assert.Equal(t, "proc", fs.Type)
}

func TestAllocated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	bytes, err := Allocated(dir)
	require.NoError(t, err)
	assert.Zero(t, bytes)

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "below"), 0o755))
	empty, err := Allocated(dir)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "below", "file"), make([]byte, 100_000), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sparse"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(dir, "sparse"), 1<<40))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	for _, path := range []string{dir, link} {
		bytes, err = Allocated(path)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, bytes, empty+100_000)
		assert.Less(t, bytes, int64(1<<20))
	}
}

// TestReal: symbolic links are resolved, but not to what lies at the same path in another mount namespace.
func TestReal(t *testing.T) {
	top := t.TempDir()
	inside, outside, link := filepath.Join(top, "inside"), filepath.Join(top, "outside"), filepath.Join(top, "link")
	require.NoError(t, os.Mkdir(inside, 0o700))
	require.NoError(t, os.Mkdir(outside, 0o700))
	require.NoError(t, os.Symlink("inside", link))
	real, err := Real(link)
	require.NoError(t, err)
	assert.Equal(t, inside, real)
	_, err = Real(filepath.Join(top, "missing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	if os.Getuid() != 0 {
		t.Skip("only root makes mount namespaces")
	}
	cmd := exec.Command("sh", "-c", `mount --make-rprivate / && mount --bind "$1" "$2" && echo mounted && read end`, "sh", inside, outside)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer in.Close()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "mounted\n", line)
	real, err = Real(fmt.Sprintf("/proc/%d/root%s", cmd.Process.Pid, outside))
	require.NoError(t, err)
	is, err := os.Stat(real)
	require.NoError(t, err)
	want, err := os.Stat(inside)
	require.NoError(t, err)
	assert.True(t, os.SameFile(want, is), real)
}
