package watch

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/watch/goprogram"
)

// waiting starts a program that waits for its input.
func waiting(t *testing.T, name string) (pid int) {
	t.Helper()
	cmd := exec.Command(name)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return cmd.Process.Pid
}

// thread returns the number of a thread of this process that is not the process's own.
func thread(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, task := range tasks {
		if n, err := strconv.Atoi(task.Name()); err == nil && n != os.Getpid() {
			return n
		}
	}
	t.Fatal("this process has one thread")
	return 0
}

func TestOpenRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		pid  int
		want string
	}{
		"no process":    {1 << 22, "there is no process 4194304: look its number up"},
		"not Go":        {waiting(t, "cat"), "it is not a Go program, or its table of functions was removed"},
		"no database":   {waiting(t, "gofmt"), "uses neither Pebble nor goleveldb"},
		"thread":        {thread(t), "look its number up"},
		"kernel thread": {2, "cannot watch process 2"},
	} {
		w, err := Open(t.Context(), row.pid, Options{})
		assert.ErrorContains(t, err, row.want, name)
		assert.Nil(t, w, name)
	}
}

// TestOtherUser: the files that a process has open are shown to its own user and to root.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	p := &process{pid: waiting(t, "cat")}
	_, err := p.locked()
	require.NoError(t, err)
	const nobody = 65534
	denied := make(chan error)
	go func() {
		runtime.LockOSThread() // which ends with this goroutine: no other one may run as nobody
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			denied <- err
			return
		}
		_, err := p.locked()
		denied <- err
	}()
	assert.ErrorContains(t, <-denied, "run getio as root on the host or as the user of the process, or with the capability CAP_DAC_READ_SEARCH")
}

func TestRefuseProfiled(t *testing.T) {
	p := &goprogram.Program{PID: 7, Build: &debug.BuildInfo{}}
	assert.NoError(t, refuseProfiled(p))
	p.Build.Settings = []debug.BuildSetting{{Key: "-pgo", Value: "/src/default.pgo"}}
	assert.ErrorContains(t, refuseProfiled(p), "process 7 was built with a profile (-pgo)")
	assert.ErrorContains(t, refuseProfiled(p), "build it with -pgo=off")
}

func TestFind(t *testing.T) {
	pid, err := Find("123")
	require.NoError(t, err)
	assert.Equal(t, 123, pid)
	for process, want := range map[string]string{
		"0": "invalid process", "-5": "invalid process",
		"no-such-program": `no process is named "no-such-program"`,
	} {
		_, err := Find(process)
		assert.ErrorContains(t, err, want, process)
	}
	one := "getio-watched-1" // as long as the kernel keeps
	path := t.TempDir() + "/" + one + "-and-more"
	cat, err := exec.LookPath("cat")
	require.NoError(t, err)
	binary, err := os.ReadFile(cat)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, binary, 0o700))
	first := waiting(t, path)
	pid, err = Find(one + "-and-more")
	require.NoError(t, err)
	assert.Equal(t, first, pid)
	second := waiting(t, path)
	_, err = Find(one)
	assert.ErrorContains(t, err, "2 processes are named")
	assert.ErrorContains(t, err, strconv.Itoa(first)+" "+strconv.Itoa(second))
	_, runningErr := Running(one)
	assert.Equal(t, err, runningErr)
}
