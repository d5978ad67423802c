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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/system/device"
)

// newGroup makes a group. It skips the test if it cannot.
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
	t.Cleanup(func() { require.NoError(t, h.CleanUp(name)) })
	return g
}

// TestCommandsStartInTheGroup starts many at a time. This process is not in the group afterwards.
func TestCommandsStartInTheGroup(t *testing.T) {
	g := newGroup(t)
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			groups, err := groupsOfCommand(g)
			if n := strings.Count(groups, t.Name()); err != nil || n != len(g.dirs) && n != 1 {
				t.Errorf("the command was in %s (%v)", groups, err)
			}
		})
	}
	all.Wait()
	require.NoError(t, g.Remove())
	for _, dir := range g.dirs {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s exists: %v", dir, err)
		}
	}
	require.NoError(t, g.Remove())
}

// groupsOfCommand starts a command in a group and returns the groups that it is in.
func groupsOfCommand(g version) (string, error) {
	cmd := exec.Command("cat", "/proc/self/cgroup")
	var out strings.Builder
	cmd.Stdout = &out
	if err := g.Start(cmd, (*exec.Cmd).Start); err != nil {
		return "", err
	}
	err := cmd.Wait()
	return out.String(), err
}

// TestRemoveKillsCommands checks that the processes that they started are killed too.
func TestRemoveKillsCommands(t *testing.T) {
	g := newGroup(t)
	cmd := exec.Command("sh", "-c", "sleep 1000 & sleep 1000 & wait")
	require.NoError(t, g.Start(cmd, (*exec.Cmd).Start))
	require.NoError(t, g.Remove())
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys() == nil {
		t.Error("the command was not killed")
	}
}

// TestMemoryIsLimited checks that a command that needs more memory is killed.
func TestMemoryIsLimited(t *testing.T) {
	g := newGroup(t)
	for limit, enough := range map[int64]bool{4 << 20: false, Unlimited: true} {
		require.NoError(t, g.Limit(limit))
		cmd := exec.Command("sh", "-c", "head -c 100000000 /dev/zero | tail -n 1 >/dev/null")
		require.NoError(t, g.Start(cmd, (*exec.Cmd).Start))
		assert.Equal(t, enough, (cmd.Wait() == nil), "a command that takes 100 MB, with a limit of %d bytes", limit)
	}
	require.NoError(t, g.Reclaim())
	m, err := g.Memory()
	require.NoError(t, err)
	if m.Used < 0 || m.Used > 100<<20 {
		t.Errorf("%+v", m)
	}
}

// TestReclaimFreesThePageCache tries each way that the version offers, and checks that the group
// can use as much memory again afterwards.
func TestReclaimFreesThePageCache(t *testing.T) {
	g := newGroup(t)
	ways := map[string]func() error{"Reclaim": g.Reclaim}
	if v, ok := g.version.(v2); ok {
		ways["squeeze"] = v.squeeze
	}
	file := filepath.Join(t.TempDir(), "file")
	var fs unix.Statfs_t
	require.NoError(t, unix.Statfs(filepath.Dir(file), &fs))
	if fs.Type == unix.TMPFS_MAGIC {
		t.Skip("temporary files are on tmpfs")
	}
	const size = 16 << 20
	for name, reclaim := range ways {
		cmd := exec.Command("sh", "-c", "head -c 16777216 /dev/zero >"+file+" && sync "+file)
		require.NoError(t, g.Start(cmd, (*exec.Cmd).Start))
		require.NoError(t, cmd.Wait())
		before, err := g.Memory()
		require.NoError(t, err)
		require.NoError(t, reclaim())
		after, err := g.Memory()
		require.NoError(t, err)
		if before.Files < size || after.Files > size/16 {
			t.Errorf("%s: %d of %d bytes of page cache remain", name, after.Files, before.Files)
		}
		require.NoError(t, os.Remove(file))
	}
}

// TestNamesAreUnique checks that a second group of the same name is rejected and the first stays.
func TestNamesAreUnique(t *testing.T) {
	g := newGroup(t)
	h, err := Find()
	require.NoError(t, err)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, g.Start(cmd, (*exec.Cmd).Start))
	if _, err := h.Make(filepath.Base(g.dirs[len(g.dirs)-1])); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	if list, err := g.Processes(); err != nil || len(list) == 0 {
		t.Errorf("%v, %v", list, err)
	}
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

// TestVersion2 reads and writes the files of a group in a plain directory.
func TestVersion2(t *testing.T) {
	g := Hierarchy{unified: t.TempDir()}.group("group").version.(v2)
	require.NoError(t, os.MkdirAll(g.dir, 0o755))
	write := func(file, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(g.dir, file), []byte(text), 0o644))
	}
	requireFile := func(file, want string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(g.dir, file)); err != nil || string(text) != want {
			t.Errorf("%s holds %q (%v), want %q", file, text, err, want)
		}
	}
	for file, text := range map[string]string{
		"memory.current": "8192000\n",
		"memory.stat":    "anon 4096000\nfile 2048000\nkernel 1024\nactive_file 512000\n",
		"memory.max":     "max\n", "memory.swap.max": "max\n", "memory.reclaim": "",
		"io.stat": "259:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n7:0 rbytes=81920000 wbytes=0 rios=20000 wios=0 dbytes=0 dios=0\n7:1 \n",
	} {
		write(file, text)
	}
	for block, want := range map[uint64]device.Count{unix.Mkdev(7, 0): {Reads: 20000, Bytes: 81920000}, unix.Mkdev(259, 0): {Reads: 3, Bytes: 1}, unix.Mkdev(7, 1): {}, unix.Mkdev(8, 0): {}} {
		require.NoError(t, g.Account(block))
		if got, err := g.Reads(block); err != nil || got != want {
			t.Errorf("%s: %+v, %v", deviceName(block), got, err)
		}
	}
	if m, err := g.Memory(); err != nil || m != (Memory{8192000, 2048000, 4096000, 512000}) {
		t.Errorf("%+v, %v", m, err)
	}
	for limit, want := range map[int64]string{1 << 20: "1048576", Unlimited: "max"} {
		write("memory.max", "")
		require.NoError(t, g.Limit(limit))
		requireFile("memory.max", want)
	}
	require.NoError(t, g.Reclaim())
	requireFile("memory.reclaim", "8192000")
	require.NoError(t, os.Remove(filepath.Join(g.dir, "memory.reclaim"))) // as before Linux 5.19
	write("memory.high", "")
	require.NoError(t, g.Reclaim())
	requireFile("memory.high", "max")
	write("io.stat", "7:0 rios=x\n")
	_, err := g.Reads(unix.Mkdev(7, 0))
	assert.Error(t, err, "an invalid io.stat was accepted")
}

// TestCommandsStartInVersion2: the kernel's hierarchy of version 2 accepts commands even if it
// has no controllers.
func TestCommandsStartInVersion2(t *testing.T) {
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup2"))
	require.NoError(t, err)
	if len(mounts) == 0 {
		t.Skip("no hierarchy of version 2 is mounted")
	}
	g := v2{filepath.Join(mounts[0].Mountpoint, "getio-test-"+strconv.Itoa(os.Getpid()))}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, remove([]string{g.dir})) })
	groups, err := groupsOfCommand(g)
	if err != nil || !strings.Contains(groups, "0::/"+filepath.Base(g.dir)) {
		t.Errorf("the command was in %s (%v)", groups, err)
	}
}

func TestFindHierarchies(t *testing.T) {
	whole, bare := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(whole, "cgroup.controllers"), []byte("cpuset cpu io memory pids\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(bare, "cgroup.controllers"), []byte("\n"), 0o644))
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
	_, err := (Hierarchy{unified: filepath.Join(whole, "none")}).Make("name")
	assert.ErrorContains(t, err, "run as root")
	// A plain directory has no file that enables controllers: the group is removed again.
	_, err = (Hierarchy{unified: whole}).Make("name")
	assert.Error(t, err, "made a group in a plain directory")
	if _, err := os.Stat(filepath.Join(whole, "name")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the group was not removed: %v", err)
	}
}

func TestNumber(t *testing.T) {
	const recorded = "7:0 Read 20000\n7:0 Write 1\n7:0 Total 20001\n7:10 Read 5\nTotal 20006\n"
	for device, want := range map[string]int64{"7:0": 20000, "7:10": 5, "7:1": 0} {
		if got, err := number(device + " Read ")(recorded); err != nil || got != want {
			t.Errorf("%s: %d, %v", device, got, err)
		}
	}
	_, err := number("7:0 Read ")("7:0 Read x\n")
	assert.Error(t, err, "an invalid number was accepted")
}

// FuzzParse: parsers neither panic, nor return a number with an error.
func FuzzParse(f *testing.F) {
	f.Add("7:0 rbytes=81920000 wbytes=0 rios=20000 wios=0\n")
	f.Add("7:0 Read 20000\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := parseIOStat(text, "7:0"); err != nil && c != (device.Count{}) {
			t.Errorf("%+v with %v", c, err)
		}
		if n, err := number("7:0 Read ")(text); errors.Is(err, strconv.ErrSyntax) && n != 0 {
			t.Errorf("%d with %v", n, err)
		}
	})
}
