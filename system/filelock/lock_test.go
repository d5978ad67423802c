package filelock

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// lockEnv names the file that a child process of the test binary locks exclusively, like a library
// with its database open for writing; kindEnv names the kind of lock.
const (
	lockEnv = "FILELOCK_TEST"
	kindEnv = "FILELOCK_TEST_KIND"
)

// kinds of locks, by the system calls that take them.
var kinds = []string{"fcntl", "flock"}

func TestMain(m *testing.M) {
	if path := os.Getenv(lockEnv); path != "" {
		holdExclusively(path)
	}
	os.Exit(m.Run())
}

// holdExclusively prints whether it could lock the file, and holds the lock until standard input
// ends.
func holdExclusively(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil && os.Getenv(kindEnv) == "flock" {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	} else if err == nil {
		err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	}
	if err != nil {
		os.Stdout.WriteString("refused\n")
		os.Exit(0)
	}
	os.Stdout.WriteString("locked\n")
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// lockElsewhere asks another process to lock the file. If it could, release ends that process.
func lockElsewhere(t *testing.T, path, kind string) (locked bool, release func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lockEnv+"="+path, kindEnv+"="+kind)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	release = sync.OnceFunc(func() {
		in.Close()
		assert.NoError(t, cmd.Wait())
	})
	t.Cleanup(release)
	return line == "locked\n", release
}

// writable reports whether another process can open the database for writing with either lock.
func writable(t *testing.T, path string) bool {
	t.Helper()
	for _, kind := range kinds {
		locked, release := lockElsewhere(t, path, kind)
		release()
		if locked {
			return true
		}
	}
	return false
}

func lockFile(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, Name)
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	return dir, path
}

func mustLock(t *testing.T, path string) io.Closer {
	t.Helper()
	l, err := ForReading(path)
	require.NoError(t, err)
	return l
}

func TestDatabaseThatAnotherProcessWritesCannotBeLocked(t *testing.T) {
	for _, kind := range kinds {
		dir, path := lockFile(t)
		locked, release := lockElsewhere(t, path, kind)
		require.True(t, locked, "%s: the other process could not lock it", kind)
		if _, err := ForReading(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v", kind, err)
		}
		if err := CheckUnlocked(dir); !errors.Is(err, ErrLocked) {
			t.Errorf("%s: error %v", kind, err)
		}
		release()
		require.NoError(t, mustLock(t, path).Close())
		require.NoError(t, CheckUnlocked(dir))
	}
}

func TestNoProcessWritesADatabaseThatIsRead(t *testing.T) {
	_, path := lockFile(t)
	l := mustLock(t, path)
	assert.False(t, writable(t, path), "another process opened it for writing")
	require.NoError(t, l.Close())
	assert.True(t, writable(t, path), "the lock outlived its holder")
}

func TestOnlyTheLastHolderReleasesTheLock(t *testing.T) {
	dir, path := lockFile(t)
	first, second, third := mustLock(t, path), mustLock(t, path), mustLock(t, path)
	require.NoError(t, second.Close())
	require.NoError(t, second.Close()) // closing twice gives up one hold
	require.NoError(t, CheckUnlocked(dir))
	require.NoError(t, first.Close())
	assert.False(t, writable(t, path), "the second of three holders released the lock")
	require.NoError(t, third.Close())
	assert.True(t, writable(t, path), "the lock outlived its last holder")
}

// A lock belongs to the process and the file, whatever name the file was opened by.
func TestHoldersByOtherNamesShareTheLock(t *testing.T) {
	dir, path := lockFile(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	first := mustLock(t, path)
	for _, name := range []string{filepath.Join(link, "LOCK"), dir + "/./LOCK", dir + "//LOCK"} {
		require.NoError(t, mustLock(t, name).Close())
		require.False(t, writable(t, path), "giving up %s gave up the lock", name)
	}
	require.NoError(t, first.Close())
	assert.True(t, writable(t, path), "the lock outlived its last holder")
}

func TestLockingLeavesTheFileAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	require.NoError(t, os.WriteFile(path, []byte("content of its own"), 0o644))
	require.NoError(t, os.Chmod(path, 0o400))
	before, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, mustLock(t, path).Close())
	after, err := os.Stat(path)
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if string(data) != "content of its own" || !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() {
		t.Errorf("%v became %v with %q", before, after, data)
	}
}

func TestLockingMakesNoFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, mustLock(t, filepath.Join(dir, "LOCK")).Close())
	require.NoError(t, CheckUnlocked(dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestConcurrentHoldersKeepTheLock(t *testing.T) {
	_, path := lockFile(t)
	keep := mustLock(t, path)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				l, err := ForReading(path)
				if err != nil {
					t.Error(err)
					return
				}
				l.Close()
			}
		})
	}
	all.Wait()
	assert.False(t, writable(t, path), "the lock went while it was held")
	require.NoError(t, keep.Close())
	assert.True(t, writable(t, path), "the lock outlived its last holder")
}
