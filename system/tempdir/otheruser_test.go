package tempdir

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nobody is the user that owns the directory above root's temporary directories.
const nobody = 65534

const (
	attacked = "GETIO_TEMPDIR_ATTACKED"
	victim   = "GETIO_TEMPDIR_VICTIM"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(attacked); dir != "" {
		attack(dir, os.Getenv(victim))
		return
	}
	os.Exit(m.Run())
}

// attack moves every directory away and puts a link to the victim in its place, until it is killed.
func attack(dir, victim string) {
	fmt.Println("ready")
	for n := 0; ; n++ {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !e.IsDir() || !strings.HasPrefix(e.Name(), "a.tmp-") || len(e.Name()) > len("a.tmp-")+16 {
				continue
			}
			name := filepath.Join(dir, e.Name())
			if os.Rename(name, fmt.Sprintf("%s-moved-%d", name, n)) == nil {
				os.Symlink(victim, name)
			}
		}
	}
}

// TestAnotherUserReplacesDirectories: the owner of the directory above renames root's temporary directories and links
// their names to a directory of root's, while root fills and removes them. Nothing is written or removed there.
func TestAnotherUserReplacesDirectories(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can act as two users")
	}
	top, err := os.MkdirTemp("", "tempdir-")
	require.NoError(t, err)
	defer os.RemoveAll(top)
	in, roots := filepath.Join(top, "in"), filepath.Join(top, "roots")
	require.NoError(t, os.Chmod(top, 0o755))
	require.NoError(t, os.Mkdir(in, 0o755))
	require.NoError(t, os.Chown(in, nobody, nobody))
	require.NoError(t, os.Mkdir(roots, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(roots, "file"), []byte("root's"), 0o600))

	self, err := os.Executable()
	require.NoError(t, err)
	binary := filepath.Join(top, "attacker") // the test's own may lie where the other user cannot go
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, text, 0o755))
	cmd := exec.Command(binary)
	cmd.Dir, cmd.Env = "/", []string{attacked + "=" + in, victim + "=" + roots}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

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
	text, err = os.ReadFile(filepath.Join(roots, "file"))
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
		require.NoError(t, os.Chown(left.Path, nobody, nobody))
		want = append(want, left.Name)
	}
	require.NoError(t, os.Symlink(recording, filepath.Join(in, "a.tmp-aaaaaaaaaaaaaaaa")))
	used, err := RemoveAbandoned(in, "a.tmp-")
	require.NoError(t, err)
	assert.Empty(t, used)
	requireNames(t, in, append(want, "a.tmp-aaaaaaaaaaaaaaaa")...)
	requireNames(t, recording, "trace")
}
