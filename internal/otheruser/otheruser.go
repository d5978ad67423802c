// Package otheruser lets tests that run as root act as another user at the same time, who interferes with what root does.
package otheruser

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/system/subprocess"
)

// ID is the other user: nobody, on most systems.
const ID = 65534

// actEnv names what the test binary, as a program, is to do.
const actEnv = "GETIO_TEST_OTHER_USER"

// Act is what the other user does with some paths, again and again until the program is killed.
type Act func(round int, paths []string)

// Acts does one of the acts for good if this process was started by Start. Otherwise it does nothing. TestMain calls it.
func Acts(acts map[string]Act) {
	act := acts[os.Getenv(actEnv)]
	if act == nil {
		return
	}
	fmt.Println("ready")
	for round := 0; ; round++ {
		act(round, os.Args[1:])
	}
}

// Start starts an act as the other user. It ends with the test. A test that is not run by root is skipped.
func Start(t *testing.T, act string, paths ...string) {
	t.Helper()
	Require(t)
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	program := filepath.Join(Dir(t), "program") // the test's own may lie where the other user cannot go
	require.NoError(t, os.WriteFile(program, text, 0o755))
	cmd := exec.Command(program, paths...)
	cmd.Dir, cmd.Env, cmd.Stderr = "/", []string{actEnv + "=" + act}, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ID, Gid: ID}}
	subprocess.EndWithParent(cmd)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
}

// Require skips the test unless root runs it.
func Require(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can act as two users")
	}
}

// Dir returns a directory of root's that the other user can enter, unlike t.TempDir. It is removed with the test.
func Dir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "other-user-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// Own makes a directory of the other user's.
func Own(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.Mkdir(path, 0o755))
	require.NoError(t, os.Chown(path, ID, ID))
	return path
}

// ReplaceDirs is an Act: it moves each directory in paths[0] whose name begins with paths[2] away, and puts a link to
// paths[1] in its place.
func ReplaceDirs(round int, paths []string) {
	entries, _ := os.ReadDir(paths[0])
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), paths[2]) || strings.Contains(e.Name(), "-moved-") {
			continue
		}
		name := filepath.Join(paths[0], e.Name())
		if os.Rename(name, fmt.Sprintf("%s-moved-%d", name, round)) == nil {
			os.Symlink(paths[1], name)
		}
	}
}
