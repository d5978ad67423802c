package loopdisk

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// set sets a variable until the test ends.
func set[T any](t *testing.T, variable *T, value T) {
	old := *variable
	*variable = value
	t.Cleanup(func() { *variable = old })
}

func requireError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line with %q", err, want)
	}
}

// newDisk makes a disk. It skips the test if it cannot.
func newDisk(t *testing.T, bytes int64) *Disk {
	t.Helper()
	at := t.TempDir()
	d, err := Make(at, t.TempDir(), bytes)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, CleanUp(at)) })
	return d
}

// counted returns the disk's reads during do.
func counted(t *testing.T, d *Disk, do func()) Count {
	t.Helper()
	before, err := d.Count()
	require.NoError(t, err)
	do()
	after, err := d.Count()
	require.NoError(t, err)
	assert.Equal(t, after, after.Add(before).Sub(before), before)
	return after.Sub(before)
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the disk holds %v (%v)", entries, err)
	}
}

func TestNewDisk(t *testing.T) {
	d := newDisk(t, 64<<20)
	requireEmpty(t, d.Dir)
	require.NoError(t, os.WriteFile(filepath.Join(d.Dir, "file"), make([]byte, 50<<20), 0o600))
	for name, want := range map[string]string{"loop/autoclear": "1", "loop/dio": "1", "queue/read_ahead_kb": "4"} {
		got, err := os.ReadFile(filepath.Join("/sys/block", d.Name, name))
		require.NoError(t, err)
		assert.Equal(t, want, strings.TrimSpace(string(got)), "%s of %s is %s", name, d.Name, got)
	}
	counted(t, d, func() {})
	require.NoError(t, d.Close())
	require.NoError(t, d.Close()) // already unmounted
	requireEmpty(t, d.Dir)
}

func TestDiskInUse(t *testing.T) {
	d := newDisk(t, 0)
	f, err := os.Create(filepath.Join(d.Dir, "file"))
	require.NoError(t, err)
	requireError(t, d.Close(), d.Dir+" is in use")
	require.NoError(t, f.Close())
	require.NoError(t, d.Close())
}

func TestMakeFails(t *testing.T) {
	t.Run("without mkfs", func(t *testing.T) {
		set(t, &mkfsNames, []string{"no-mkfs.ext4"})
		_, err := Make(t.TempDir(), t.TempDir(), 0)
		requireError(t, err, "install e2fsprogs")
	})
	d := newDisk(t, 0) // skips the rest if there are no disks
	empty, missing := filepath.Join(t.TempDir(), "empty"), filepath.Join(d.Dir, "missing")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, c := range []struct {
		name, mkfs, control, at, want string
	}{
		{"mkfs fails", "false", control, t.TempDir(), "cannot make a file system"},
		{"no loop-control", mkfsNames[0], missing, t.TempDir(), "modprobe loop"},
		{"no free device", mkfsNames[0], empty, t.TempDir(), "no free loop device"},
		{"loop-control not writable", mkfsNames[0], t.TempDir(), t.TempDir(), "cannot use loop devices"},
		{"no directory to mount on", mkfsNames[0], control, missing, "cannot mount the private disk"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set(t, &mkfsNames, append([]string{c.mkfs}, mkfsNames[1:]...))
			set(t, &control, c.control)
			_, err := Make(c.at, t.TempDir(), 0)
			requireError(t, err, c.want)
		})
	}
}

func TestDirectIOIsRequired(t *testing.T) {
	sys := t.TempDir()
	requireError(t, requireDirect(sys, "/images"), "/images does not support direct I/O")
	require.NoError(t, os.Mkdir(filepath.Join(sys, "loop"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(sys, "loop/dio"), []byte("0\n"), 0o600))
	requireError(t, requireDirect(sys, "/images"), "/images does not support direct I/O")
	require.NoError(t, os.WriteFile(filepath.Join(sys, "loop/dio"), []byte("1\n"), 0o600))
	require.NoError(t, requireDirect(sys, "/images"))
}

// TestMkfsHoldsTheDevice checks that no other process can get the device while mkfs runs.
func TestMkfsHoldsTheDevice(t *testing.T) {
	newDisk(t, 0) // skips the test if there are no disks
	dir := t.TempDir()
	mkfs, output := filepath.Join(dir, "mkfs"), filepath.Join(dir, "output")
	require.NoError(t, os.WriteFile(mkfs, []byte("#!/bin/sh\nfor device; do :; done\necho $device $(readlink /proc/$$/fd/3) >"+output+"\nexit 1\n"), 0o700))
	set(t, &mkfsNames, []string{mkfs})
	_, err := Make(t.TempDir(), t.TempDir(), 0)
	requireError(t, err, "cannot make a file system")
	got, err := os.ReadFile(output)
	require.NoError(t, err)
	if f := strings.Fields(string(got)); len(f) != 2 || f[0] != f[1] || !strings.HasPrefix(f[0], "/dev/loop") {
		t.Errorf("its argument and its open device are %q, want the same device", got)
	}
}

func TestStat(t *testing.T) {
	const recorded = "  120126        7   964452    65297     1183      296  1706808    30469        2    66652    96036        4        0  4194320      220       33       48\n"
	c, inProgress, err := parseStat(recorded)
	if want := (Count{Reads: 120126, Merged: 7, Bytes: 964452 * 512, Written: 1706808 * 512}); err != nil || c != want || inProgress != 2 {
		t.Errorf("%+v, %d in progress, %v", c, inProgress, err)
	}
	for _, bad := range []string{"", "1 2 3", "1 2 x 4 5 6 7 8 9"} {
		if _, _, err := parseStat(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	_, err = (&Disk{Name: "none"}).Count()
	assert.Error(t, err, "read the counters of a missing device")
}

// writeFile writes a file of zeros to a new disk, gathered, and drops its pages.
func writeFile(t *testing.T, bytes int) (*Disk, *os.File) {
	t.Helper()
	d := newDisk(t, 64<<20)
	path := filepath.Join(d.Dir, "file")
	require.NoError(t, os.WriteFile(path, make([]byte, bytes), 0o600))
	require.NoError(t, d.Gather(t.Context()))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	require.NoError(t, f.Sync())
	require.NoError(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	return d, f
}

// TestARequestIsOneRead checks that one read of a file is one request, and that nothing is read
// ahead, except at the beginning of a file, where the kernel assumes that more reads follow.
func TestARequestIsOneRead(t *testing.T) {
	const reads, stride = 500, 16 << 10
	d, f := writeFile(t, (reads+1)*stride)
	piece := make([]byte, Block)
	n := counted(t, d, func() {
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(reads) {
			_, err := f.ReadAt(piece, int64(i+1)*stride+Block/2) // across two pages
			require.NoError(t, err)
		}
	})
	if n.Reads != reads || n.Bytes != reads*2*Block || n.Merged != 0 {
		t.Errorf("%d reads of two pages are %+v", reads, n)
	}
}

// TestLargeRequestsAreSplitEvenly checks that this does not depend on where pages are in memory.
func TestLargeRequestsAreSplitEvenly(t *testing.T) {
	const parts, reads = 5, 6
	d, f := writeFile(t, reads*parts*mostKB<<10)
	require.NoError(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM))
	piece := make([]byte, parts*mostKB<<10)
	n := counted(t, d, func() {
		for i := range reads {
			_, err := f.ReadAt(piece, int64(i*len(piece)))
			require.NoError(t, err)
		}
	})
	if n.Reads != reads*parts || n.Bytes != int64(reads*len(piece)) {
		t.Errorf("%d reads of %d KiB are %+v", reads, parts*mostKB, n)
	}
}

// TestGather checks that files that grew at the same time have one extent afterwards, and the same
// bytes, modes and holes.
func TestGather(t *testing.T) {
	d := newDisk(t, 64<<20)
	var paths []string
	var files []*os.File
	for i := range 4 {
		f, err := os.OpenFile(filepath.Join(d.Dir, fmt.Sprint(i)), os.O_CREATE|os.O_WRONLY, 0o640)
		require.NoError(t, err)
		defer f.Close()
		files, paths = append(files, f), append(paths, f.Name())
	}
	piece := make([]byte, 20<<10)
	for i := range 10 {
		for k, f := range files {
			piece[0] = byte(10*k + i)
			_, err := f.Write(piece)
			require.NoError(t, err)
			require.NoError(t, f.Sync())
		}
	}
	const end = 8 << 20 // after a hole
	require.NoError(t, files[0].Truncate(end))
	_, err := files[0].WriteAt([]byte("end"), end-3)
	require.NoError(t, err)
	require.NoError(t, files[0].Sync())
	before := extents(t, paths)
	require.NoError(t, d.Gather(t.Context()))
	if after := extents(t, paths); before <= 5 || after != 5 {
		t.Errorf("4 files, one with a hole, have %d extents before and %d after Gather, want 5", before, after)
	}
	for k, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for i := range 10 {
			if at := i * len(piece); data[at] != byte(10*k+i) {
				t.Errorf("%s has %d at %d", path, data[at], at)
			}
		}
		fi, err := os.Stat(path)
		require.NoError(t, err)
		if k == 0 && (len(data) != end || string(data[end-3:]) != "end") || fi.Mode() != 0o640 {
			t.Errorf("%s has %d bytes, %v", path, len(data), fi.Mode())
		}
	}
	var st unix.Stat_t
	require.NoError(t, unix.Stat(paths[0], &st))
	if st.Blocks*512 > end/4 {
		t.Errorf("the hole is filled: %d bytes", st.Blocks*512)
	}
	if left, err := os.ReadDir(d.Dir); err != nil || len(left) != len(paths) {
		t.Errorf("the disk holds %v (%v)", left, err)
	}
}

// TestGatherWithoutSpace gathers a file that takes more than half of the disk.
func TestGatherWithoutSpace(t *testing.T) {
	d := newDisk(t, 64<<20)
	path := filepath.Join(d.Dir, "file")
	other, err := os.Create(filepath.Join(d.Dir, "other"))
	require.NoError(t, err)
	defer other.Close()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	content := make([]byte, 40<<20)
	rand.NewChaCha8([32]byte{}).Read(content)
	for part := range slices.Chunk(content, 1<<20) {
		_, err := f.Write(part)
		require.NoError(t, err)
		require.NoError(t, f.Sync())
		_, err = other.Write(part[:64<<10]) // between the parts
		require.NoError(t, err)
		require.NoError(t, other.Sync())
	}
	require.NoError(t, d.Gather(t.Context()))
	assert.LessOrEqual(t, extents(t, []string{path}), 16)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(content, got))
}

// extents counts the extents of files on the device (FIEMAP).
func extents(t *testing.T, paths []string) (n int) {
	t.Helper()
	const fiemap, most = 0xc020660b, 100
	type extent struct {
		logical, physical, length uint64
		_                         [2]uint64
		flags                     uint32
		_                         [3]uint32
	}
	for _, path := range paths {
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		var request struct {
			start, length                uint64
			flags, mapped, count, unused uint32
			extents                      [most]extent
		}
		request.length, request.count = math.MaxInt64, most
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), fiemap, uintptr(unsafe.Pointer(&request))); errno != 0 {
			t.Fatal(errno)
		}
		next := uint64(0)
		for _, e := range request.extents[:request.mapped] {
			if e.physical != next {
				n++
			}
			next = e.physical + e.length
		}
	}
	return n
}
