package cgroup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newGroup makes a group; tests are skipped where none can be made.
func newGroup(t *testing.T) *Group {
	t.Helper()
	h, err := Find()
	if err != nil {
		t.Skip(err)
	}
	name := "getio-test-" + strconv.Itoa(os.Getpid()) + "-" + t.Name()
	g, err := h.Make(name)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { check(t, h.CleanUp(name)) })
	return g
}

// TestCommandsAreBornInTheGroup, however many are started at a time, and this process is
// not in it afterwards.
func TestCommandsAreBornInTheGroup(t *testing.T) {
	g := newGroup(t)
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			cmd := exec.Command("cat", "/proc/self/cgroup")
			var out strings.Builder
			cmd.Stdout = &out
			if err := g.Start(cmd); err != nil {
				t.Error(err)
				return
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			if n := strings.Count(out.String(), t.Name()); n != len(g.dirs) && n != 1 {
				t.Errorf("the command was in %s", out.String())
			}
		})
	}
	all.Wait()
	check(t, g.Remove())
	for _, dir := range g.dirs {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", dir, err)
		}
	}
	check(t, g.Remove())
}

// TestRemoveKills what is in the group, and what that has started.
func TestRemoveKills(t *testing.T) {
	g := newGroup(t)
	cmd := exec.Command("sh", "-c", "sleep 1000 & sleep 1000 & wait")
	check(t, g.Start(cmd))
	check(t, g.Remove())
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys() == nil {
		t.Error("the command was not killed")
	}
}

// TestMemoryIsLimited: a command that wants more is killed.
func TestMemoryIsLimited(t *testing.T) {
	g := newGroup(t)
	check(t, g.Limit(4<<20))
	cmd := exec.Command("sh", "-c", "head -c 100000000 /dev/zero | tail -n 1 >/dev/null")
	check(t, g.Start(cmd))
	if err := cmd.Wait(); err == nil {
		t.Error("a command took 100 MB of 4")
	}
	check(t, g.Limit(Unlimited))
	cmd = exec.Command("sh", "-c", "head -c 100000000 /dev/zero | tail -n 1 >/dev/null")
	check(t, g.Start(cmd))
	check(t, cmd.Wait())
	check(t, g.Reclaim())
	m, err := g.Memory()
	check(t, err)
	if m.Used < 0 || m.Used > 100<<20 {
		t.Errorf("%+v", m)
	}
}

// TestReclaimTakesThePageCache, in each way that the version has, and the group may take
// as much again afterwards.
func TestReclaimTakesThePageCache(t *testing.T) {
	g := newGroup(t)
	ways := map[string]func() error{"Reclaim": g.Reclaim}
	if v, ok := g.version.(v2); ok {
		ways["squeeze"] = v.squeeze
	}
	file := filepath.Join(t.TempDir(), "file")
	var fs unix.Statfs_t
	check(t, unix.Statfs(filepath.Dir(file), &fs))
	if fs.Type == unix.TMPFS_MAGIC {
		t.Skip("files in memory are no page cache")
	}
	const size = 16 << 20
	for name, reclaim := range ways {
		cmd := exec.Command("sh", "-c", "head -c 16777216 /dev/zero >"+file+" && sync "+file)
		check(t, g.Start(cmd))
		check(t, cmd.Wait())
		before, err := g.Memory()
		check(t, err)
		check(t, reclaim())
		after, err := g.Memory()
		check(t, err)
		if before.Files < size || after.Files > size/16 {
			t.Errorf("%s: page cache of %d bytes, %d of them stay", name, before.Files, after.Files)
		}
		check(t, os.Remove(file))
	}
}

// TestASecondGroupOfAName is refused, and the first one goes on.
func TestASecondGroupOfAName(t *testing.T) {
	g := newGroup(t)
	h, err := Find()
	check(t, err)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	check(t, err)
	check(t, g.Start(cmd))
	if _, err := h.Make(filepath.Base(g.dirs[len(g.dirs)-1])); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	if list, err := g.Processes(); err != nil || len(list) == 0 {
		t.Errorf("%v, %v", list, err)
	}
	check(t, in.Close())
	check(t, cmd.Wait())
}

// unified is a directory with the files of a hierarchy of version 2, and of a group in it.
func unified(t *testing.T, name string) (h Hierarchy, g v2) {
	t.Helper()
	h = Hierarchy{unified: t.TempDir()}
	g = h.group(name).version.(v2)
	check(t, os.MkdirAll(g.dir, 0o755))
	for file, text := range map[string]string{
		"memory.current": "8192000\n",
		"memory.stat":    "anon 4096000\nfile 2048000\nkernel 1024\n",
		"memory.max":     "max\n", "memory.swap.max": "max\n", "memory.reclaim": "",
		"io.stat": "259:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n7:0 rbytes=81920000 wbytes=0 rios=20000 wios=0 dbytes=0 dios=0\n7:1 \n",
	} {
		check(t, os.WriteFile(filepath.Join(g.dir, file), []byte(text), 0o644))
	}
	return h, g
}

func TestVersion2(t *testing.T) {
	_, g := unified(t, "group")
	for device, want := range map[uint64]Count{unix.Mkdev(7, 0): {20000, 81920000}, unix.Mkdev(259, 0): {3, 1}, unix.Mkdev(7, 1): {}, unix.Mkdev(8, 0): {}} {
		check(t, g.account(device))
		if got, err := g.reads(device); err != nil || got != want {
			t.Errorf("%s: %+v, %v", deviceName(device), got, err)
		}
	}
	if m, err := g.memory(); err != nil || m != (Memory{8192000, 2048000, 4096000}) {
		t.Errorf("%+v, %v", m, err)
	}
	for _, limit := range []struct {
		bytes int64
		text  string
	}{{1 << 20, "1048576"}, {Unlimited, "max"}} {
		check(t, os.WriteFile(filepath.Join(g.dir, "memory.max"), nil, 0o644))
		check(t, g.limit(limit.bytes))
		if text, err := os.ReadFile(filepath.Join(g.dir, "memory.max")); err != nil || string(text) != limit.text {
			t.Errorf("%d is written as %q, %v", limit.bytes, text, err)
		}
	}
	check(t, g.reclaim())
	if text, err := os.ReadFile(filepath.Join(g.dir, "memory.reclaim")); err != nil || string(text) != "8192000" {
		t.Errorf("%q, %v", text, err)
	}
	check(t, os.Remove(filepath.Join(g.dir, "memory.reclaim"))) // as before Linux 5.19
	check(t, os.WriteFile(filepath.Join(g.dir, "memory.high"), nil, 0o644))
	check(t, g.reclaim())
	if text, err := os.ReadFile(filepath.Join(g.dir, "memory.high")); err != nil || string(text) != "max" {
		t.Errorf("%q, %v", text, err)
	}
	check(t, os.WriteFile(filepath.Join(g.dir, "io.stat"), []byte("7:0 rios=x\n"), 0o644))
	if _, err := g.reads(unix.Mkdev(7, 0)); err == nil {
		t.Error("nonsense is understood")
	}
}

// TestVersion2BeginsInTheGroup: the kernel's own hierarchy of version 2 takes commands
// also where it has no controllers.
func TestVersion2BeginsInTheGroup(t *testing.T) {
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup2"))
	check(t, err)
	if len(mounts) == 0 {
		t.Skip("there is no hierarchy of version 2")
	}
	g := v2{filepath.Join(mounts[0].Mountpoint, "getio-test-"+strconv.Itoa(os.Getpid()))}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { check(t, remove([]string{g.dir})) })
	cmd := exec.Command("cat", "/proc/self/cgroup")
	var out strings.Builder
	cmd.Stdout = &out
	check(t, g.start(cmd))
	check(t, cmd.Wait())
	if !strings.Contains(out.String(), "0::/"+filepath.Base(g.dir)) {
		t.Errorf("the command was in %s", out.String())
	}
}

func TestHierarchies(t *testing.T) {
	whole, bare := t.TempDir(), t.TempDir()
	check(t, os.WriteFile(filepath.Join(whole, "cgroup.controllers"), []byte("cpuset cpu io memory pids\n"), 0o644))
	check(t, os.WriteFile(filepath.Join(bare, "cgroup.controllers"), []byte("\n"), 0o644))
	v2 := func(dir string) *mountinfo.Info {
		return &mountinfo.Info{FSType: "cgroup2", Mountpoint: dir, VFSOptions: "rw,nsdelegate"}
	}
	v1 := func(dir, options string) *mountinfo.Info {
		return &mountinfo.Info{FSType: "cgroup", Mountpoint: dir, VFSOptions: options}
	}
	for _, machine := range []struct {
		mounts []*mountinfo.Info
		want   Hierarchy
	}{
		{[]*mountinfo.Info{v2(whole)}, Hierarchy{unified: whole}},
		{[]*mountinfo.Info{v2(bare), v1("/m", "rw,memory"), v1("/b", "rw,blkio")}, Hierarchy{memory: "/m", blocks: "/b"}},
		{[]*mountinfo.Info{v1("/m", "rw,memory"), v1("/b", "rw,blkio"), v2(whole)}, Hierarchy{unified: whole}},
		{[]*mountinfo.Info{v2(bare), v1("/m", "rw,memory")}, Hierarchy{}},
		{nil, Hierarchy{}},
	} {
		got, err := among(machine.mounts)
		if got != machine.want || (err != nil) != (machine.want == Hierarchy{}) {
			t.Errorf("%+v: %+v, %v", machine.mounts, got, err)
		}
	}
	if _, err := (Hierarchy{unified: filepath.Join(whole, "none")}).Make("name"); err == nil || !strings.Contains(err.Error(), "run as root") {
		t.Error(err)
	}
	// A directory that is no hierarchy has no file to hand controllers down with: what was
	// made is removed again.
	if _, err := (Hierarchy{unified: whole}).Make("name"); err == nil {
		t.Error("a group was made in a directory")
	}
	if _, err := os.Stat(filepath.Join(whole, "name")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the group is left: %v", err)
	}
}

func TestServiced(t *testing.T) {
	const recorded = "7:0 Read 20000\n7:0 Write 1\n7:0 Total 20001\n7:10 Read 5\nTotal 20006\n"
	for device, want := range map[string]int64{"7:0": 20000, "7:10": 5, "7:1": 0} {
		if got, err := parseServiced(recorded, device); err != nil || got != want {
			t.Errorf("%s: %d, %v", device, got, err)
		}
	}
	if _, err := parseServiced("7:0 Read x\n", "7:0"); err == nil {
		t.Error("nonsense is understood")
	}
}

func FuzzAccounts(f *testing.F) {
	f.Add("7:0 rbytes=81920000 wbytes=0 rios=20000 wios=0\n")
	f.Add("7:0 Read 20000\n")
	f.Fuzz(func(t *testing.T, text string) {
		// Neither ends in a panic, nor gives a figure with an error.
		if c, err := parseIOStat(text, "7:0"); err != nil && c != (Count{}) {
			t.Errorf("%+v with %v", c, err)
		}
		parseServiced(text, "7:0")
	})
}
