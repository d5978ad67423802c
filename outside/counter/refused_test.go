package counter

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

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
	check(t, os.WriteFile(file, nil, 0o600))
	for _, bad := range []struct {
		place Place
		says  string
	}{
		{Place{State: s.state, ImageIn: "/proc"}, "no files without a name"},
		{Place{State: s.state, ImageIn: filepath.Join(s.images, "none")}, "name a directory that can be written"},
		{Place{State: s.state, ImageIn: s.images, Bytes: 1 << 50}, "has no room for a private disk of 1.0 PiB ("},
		{Place{State: filepath.Join(file, "state"), ImageIn: s.images}, "make it writable"},
	} {
		c, err := New(bad.place)
		if err == nil {
			check(t, c.Close())
			t.Errorf("%+v is not refused", bad.place)
			continue
		}
		if !strings.Contains(err.Error(), bad.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", bad.place, err)
		}
		s.requireNothingLeft(t)
	}
}

// TestMissingCommand checks that it is named and that the counter still works.
func TestMissingCommand(t *testing.T) {
	c := newCounter(t, 0)
	if err := c.Start(exec.Command("/none/such")); err == nil || !strings.Contains(err.Error(), "/none/such cannot be started") {
		t.Error(err)
	}
	cmd := exec.Command("true")
	check(t, c.Start(cmd))
	check(t, cmd.Wait())
}
