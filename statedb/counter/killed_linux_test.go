package counter

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/internal/memorydir"
	"getio/internal/otheruser"
)

// holdsCounter makes the test binary make a counter, report each step, and wait to be killed.
const holdsCounter = "holds a counter"

func holdCounter() {
	c, err := New(Place{State: os.Args[1], ImageIn: os.Args[2], Bytes: 32 << 20})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("made", c.name())
	if err := os.WriteFile(filepath.Join(c.Dir, "file"), make([]byte, 1<<20), 0o600); err != nil {
		panic(err)
	}
	cmd := exec.Command("sh", "-c", "exec sleep 1000 <file")
	cmd.Dir = c.Dir
	if err := c.Start(cmd); err != nil {
		panic(err)
	}
	fmt.Println("started", cmd.Process.Pid)
	if _, err := c.Cold(1, nil, func(int) error { return nil }); err != nil {
		panic(err)
	}
	fmt.Println("traced")
	cmd.Wait()
}

// holder is such a process.
type holder struct {
	cmd  *exec.Cmd
	out  *bufio.Scanner
	said string
}

func (s *scene) startHolder(t *testing.T) *holder {
	t.Helper()
	h := &holder{cmd: exec.Command(os.Args[0], s.state, s.images)}
	h.cmd.Env = append(os.Environ(), readerEnv+"="+holdsCounter)
	out, err := h.cmd.StdoutPipe()
	require.NoError(t, err)
	h.out = bufio.NewScanner(out)
	require.NoError(t, h.cmd.Start())
	return h
}

// until waits for a word from the holder and returns the rest of the line.
func (h *holder) until(t *testing.T, word string) string {
	t.Helper()
	for h.out.Scan() {
		h.said += h.out.Text() + "\n"
		if value, ok := strings.CutPrefix(h.out.Text(), word); ok {
			return strings.TrimSpace(value)
		}
	}
	h.kill()
	t.Fatalf("the holder ended: %s", h.said)
	return ""
}

func (h *holder) kill() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

// scene is a state directory and an image directory of one test, so that its leftovers can
// be told from those of other processes.
type scene struct {
	state, images string
	names         map[string]bool // names of all counters so far
}

func newScene(t *testing.T) *scene {
	t.Helper()
	newCounter(t, 0) // skips the test if no counter can be made
	s := &scene{state: t.TempDir(), images: t.TempDir(), names: map[string]bool{}}
	if memorydir.For(t) == memorydir.Path {
		require.NoError(t, unix.Mount("tmpfs", s.images, "tmpfs", 0, "size=100m"))
		// Unmounting fails as long as a loop device has an image there.
		t.Cleanup(func() { require.NoError(t, unix.Unmount(s.images, 0)) })
	}
	return s
}

func (s *scene) place() Place { return Place{State: s.state, ImageIn: s.images, Bytes: 32 << 20} }

// left lists what exists of counters.
func (s *scene) left(t *testing.T) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(s.state)
	require.NoError(t, err)
	for _, e := range entries {
		s.names[e.Name()] = true
		all = append(all, "noted: "+e.Name())
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	require.NoError(t, err)
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, s.state) {
			all = append(all, "mount: "+line)
		}
	}
	for name := range s.names {
		for _, pattern := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
			groups, err := filepath.Glob(pattern + name)
			require.NoError(t, err)
			all = append(all, groups...)
		}
	}
	devices, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	require.NoError(t, err)
	for _, d := range devices {
		if backing, err := os.ReadFile(d); err == nil && strings.HasPrefix(string(backing), s.images) {
			all = append(all, d)
		}
	}
	return all
}

// kill kills a holder and waits until its counter is abandoned: a command that it was
// starting shares its lock until exec, which may be later than the holder's end.
func (s *scene) kill(t *testing.T, h *holder) {
	t.Helper()
	h.kill()
	entries, err := os.ReadDir(s.state)
	require.NoError(t, err)
	for _, e := range entries {
		dir, err := os.Open(filepath.Join(s.state, e.Name()))
		require.NoError(t, err)
		require.NoError(t, unix.Flock(int(dir.Fd()), unix.LOCK_EX))
		require.NoError(t, dir.Close())
	}
}

// requireNothingLeft waits for the kernel to detach loop devices, which it does asynchronously.
func (s *scene) requireNothingLeft(t *testing.T) {
	t.Helper()
	var left []string
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		if left = s.left(t); len(left) == 0 {
			return
		}
	}
	t.Errorf("there is left %q", left)
}

// TestKilledCounterIsRemoved checks that the next start removes what a killed process left.
func TestKilledCounterIsRemoved(t *testing.T) {
	s := newScene(t)
	for _, delay := range []string{"made", "started", "traced"} {
		h := s.startHolder(t)
		h.until(t, delay)
		s.kill(t, h)
		assert.GreaterOrEqual(t, len(s.left(t)), 3, "killed after %s", delay)
		s.restart(t)
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for range 8 {
		delay := time.Duration(random.Int64N(int64(150 * time.Millisecond)))
		h := s.startHolder(t)
		time.Sleep(delay)
		s.kill(t, h)
		s.left(t) // remembers their names
		s.restart(t)
		require.False(t, t.Failed(), "killed after %v", delay)
	}
}

// restart makes a counter and closes it, which must leave nothing.
func (s *scene) restart(t *testing.T) {
	t.Helper()
	c, err := New(s.place())
	require.NoError(t, err)
	require.NoError(t, c.Close())
	s.requireNothingLeft(t)
}

// TestCountersCoexist checks that a counter in use is not taken for an abandoned one.
func TestCountersCoexist(t *testing.T) {
	s := newScene(t)
	h := s.startHolder(t)
	name := h.until(t, "made")
	h.until(t, "traced")
	held := s.left(t)
	c, err := New(s.place())
	require.NoError(t, err)
	assert.NotEqual(t, name, c.name())
	if list, err := c.group.Processes(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	require.NoError(t, c.Close())
	if left := s.left(t); !slices.ContainsFunc(left, func(l string) bool { return strings.Contains(l, name+"/"+diskDir) }) {
		t.Errorf("of %q there is left %q", held, left)
	}
	s.kill(t, h)
	s.restart(t)
}

// withoutRoot makes the test binary ask for a counter as an unprivileged user.
const withoutRoot = "without root"

func runWithoutRoot() {
	if err := unix.Setresuid(65534, 65534, 65534); err != nil {
		panic(err)
	}
	_, err := New(Place{State: filepath.Join(os.TempDir(), "none")})
	fmt.Println(errors.Is(err, ErrRoot))
	os.Exit(0)
}

func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		if _, err := New(Place{}); !errors.Is(err, ErrRoot) {
			t.Error(err)
		}
		return
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), readerEnv+"="+withoutRoot)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "true\n" {
		t.Errorf("%s, %v", out, err)
	}
}

// TestRefusedPlacesLeaveNothing checks state, groups, mounts and loop devices.
func TestRefusedPlacesLeaveNothing(t *testing.T) {
	s := newScene(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	theirs := otheruser.Own(t, filepath.Join(t.TempDir(), "theirs"))
	shared, sticky := filepath.Join(t.TempDir(), "shared"), filepath.Join(t.TempDir(), "sticky")
	require.NoError(t, errors.Join(os.Mkdir(shared, 0o700), os.Chmod(shared, 0o777), os.Mkdir(sticky, 0o700), os.Chmod(sticky, 0o777|os.ModeSticky)))
	for _, bad := range []struct {
		place Place
		says  string
	}{
		{Place{State: s.state, ImageIn: "/proc"}, "does not support unnamed files"},
		{Place{State: s.state, ImageIn: filepath.Join(s.images, "none")}, "choose a writable directory"},
		{Place{State: s.state, ImageIn: s.images, Bytes: 1 << 50}, "has no room for a private disk of 1.0 PiB ("},
		{Place{State: filepath.Join(file, "state"), ImageIn: s.images}, "make it writable"},
		{Place{State: theirs, ImageIn: s.images}, "who could replace it meanwhile"},
		{Place{State: filepath.Join(theirs, "state"), ImageIn: s.images}, "who could replace it meanwhile"},
		{Place{State: shared, ImageIn: s.images}, "all users may replace what is in"},
		{Place{State: sticky, ImageIn: s.images}, "can be written to by other users"},
	} {
		c, err := New(bad.place)
		if err == nil {
			require.NoError(t, c.Close())
			t.Errorf("%+v is not refused", bad.place)
			continue
		}
		if !strings.Contains(err.Error(), bad.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", bad.place, err)
		}
		s.requireNothingLeft(t)
	}
	left, err := os.ReadDir(theirs)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestMissingCommand checks that it is named and that the counter still works.
func TestMissingCommand(t *testing.T) {
	c := newCounter(t, 0)
	assert.ErrorContains(t, c.Start(exec.Command("/none/such")), "/none/such cannot be started")
	cmd := exec.Command("true")
	require.NoError(t, c.Start(cmd))
	require.NoError(t, cmd.Wait())
}
