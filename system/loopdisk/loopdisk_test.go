package loopdisk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// set changes a variable for the time of a test.
func set[T any](t *testing.T, variable *T, value T) {
	old := *variable
	*variable = value
	t.Cleanup(func() { *variable = old })
}

func requireError(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one sentence that says %q", err, says)
	}
}

// newDisk makes a disk; tests are skipped where none can be made.
func newDisk(t *testing.T, bytes int64) *Disk {
	t.Helper()
	at := t.TempDir()
	d, err := Make(at, t.TempDir(), bytes)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { check(t, CleanUp(at)) })
	return d
}

func TestADiskIsEmptyAndQuiet(t *testing.T) {
	d := newDisk(t, 64<<20)
	before, err := d.Count()
	check(t, err)
	entries, err := os.ReadDir(d.Dir)
	check(t, err)
	if len(entries) > 0 {
		t.Errorf("there is %v", entries)
	}
	check(t, os.WriteFile(filepath.Join(d.Dir, "file"), make([]byte, 50<<20), 0o600))
	for name, want := range map[string]string{"loop/autoclear": "1", "loop/dio": "1", "queue/read_ahead_kb": "4"} {
		got, err := os.ReadFile(filepath.Join("/sys/block", d.Name, name))
		check(t, err)
		if strings.TrimSpace(string(got)) != want {
			t.Errorf("%s of %s is %s, want %s", name, d.Name, got, want)
		}
	}
	after, err := d.Count()
	check(t, err)
	if after.Add(before).Sub(before) != after {
		t.Errorf("%+v, %+v", before, after)
	}
	check(t, d.Close())
	check(t, d.Close()) // nothing is mounted there any more
	if entries, err := os.ReadDir(d.Dir); err != nil || len(entries) > 0 {
		t.Errorf("there is %v after the disk was closed (%v)", entries, err)
	}
}

func TestADiskInUseIsNamed(t *testing.T) {
	d := newDisk(t, 0)
	f, err := os.Create(filepath.Join(d.Dir, "file"))
	check(t, err)
	requireError(t, d.Close(), d.Dir+" is in use")
	check(t, f.Close())
	check(t, d.Close())
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Run("mkfs", func(t *testing.T) {
		set(t, &mkfsNames, []string{"no-mkfs.ext4"})
		_, err := Make(t.TempDir(), t.TempDir(), 0)
		requireError(t, err, "install e2fsprogs")
	})
	t.Run("mkfs that fails", func(t *testing.T) {
		newDisk(t, 0) // or the test is skipped
		set(t, &mkfsNames, []string{"false"})
		_, err := Make(t.TempDir(), t.TempDir(), 0)
		requireError(t, err, "no file system could be made")
	})
	t.Run("loop devices", func(t *testing.T) {
		newDisk(t, 0) // or the test is skipped
		set(t, &control, filepath.Join(t.TempDir(), "loop-control"))
		_, err := Make(t.TempDir(), t.TempDir(), 0)
		requireError(t, err, "modprobe loop")
		check(t, os.WriteFile(control, nil, 0o600))
		_, err = Make(t.TempDir(), t.TempDir(), 0)
		requireError(t, err, "no free loop device")
		set(t, &control, t.TempDir())
		_, err = Make(t.TempDir(), t.TempDir(), 0)
		requireError(t, err, "loop devices cannot be had")
	})
	t.Run("place to mount", func(t *testing.T) {
		d := newDisk(t, 0) // or the test is skipped
		_, err := Make(filepath.Join(d.Dir, "none"), t.TempDir(), 0)
		requireError(t, err, "cannot be mounted on")
	})
	t.Run("direct I/O", func(t *testing.T) {
		sys := t.TempDir()
		requireError(t, requireDirect(sys, "/images"), "/images has no direct I/O")
		check(t, os.Mkdir(filepath.Join(sys, "loop"), 0o700))
		check(t, os.WriteFile(filepath.Join(sys, "loop/dio"), []byte("0\n"), 0o600))
		requireError(t, requireDirect(sys, "/images"), "/images has no direct I/O")
		check(t, os.WriteFile(filepath.Join(sys, "loop/dio"), []byte("1\n"), 0o600))
		check(t, requireDirect(sys, "/images"))
	})
}

// TestMkfsHoldsTheDevice from its birth: as long as it lives, the device is nobody else's.
func TestMkfsHoldsTheDevice(t *testing.T) {
	newDisk(t, 0) // or the test is skipped
	dir := t.TempDir()
	mkfs, said := filepath.Join(dir, "mkfs"), filepath.Join(dir, "said")
	check(t, os.WriteFile(mkfs, []byte("#!/bin/sh\nfor device; do :; done\necho $device $(readlink /proc/$$/fd/3) >"+said+"\nexit 1\n"), 0o700))
	set(t, &mkfsNames, []string{mkfs})
	_, err := Make(t.TempDir(), t.TempDir(), 0)
	requireError(t, err, "no file system could be made")
	got, err := os.ReadFile(said)
	check(t, err)
	if f := strings.Fields(string(got)); len(f) != 2 || f[0] != f[1] || !strings.HasPrefix(f[0], "/dev/loop") {
		t.Errorf("of the device that it was told and the one that it held, it said %q", got)
	}
}

func TestStat(t *testing.T) {
	const recorded = "  120126        7   964452    65297     1183      296  1706808    30469        2    66652    96036        4        0  4194320      220       33       48\n"
	c, underWay, err := parseStat(recorded)
	if want := (Count{Reads: 120126, Merged: 7, Bytes: 964452 * 512}); err != nil || c != want || underWay != 2 {
		t.Errorf("%+v, %d under way, %v", c, underWay, err)
	}
	for _, bad := range []string{"", "1 2 3", "1 2 x 4 5 6 7 8 9"} {
		if _, _, err := parseStat(bad); err == nil {
			t.Errorf("%q is understood", bad)
		}
	}
	if _, err := (&Disk{Name: "none"}).Count(); err == nil {
		t.Error("a device that is not there has counters")
	}
}

// TestARequestIsOneRead: what is asked for in one piece is read in one, and nothing ahead of
// it, but at the beginning of a file, which the kernel takes for the first of many.
func TestARequestIsOneRead(t *testing.T) {
	d := newDisk(t, 64<<20)
	const reads, stride = 500, 16 << 10
	path := filepath.Join(d.Dir, "file")
	check(t, os.WriteFile(path, make([]byte, (reads+1)*stride), 0o600))
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	check(t, f.Sync())
	check(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	before, err := d.Count()
	check(t, err)
	piece := make([]byte, Block)
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(reads) {
		_, err := f.ReadAt(piece, int64(i+1)*stride+Block/2) // across two pages
		check(t, err)
	}
	after, err := d.Count()
	check(t, err)
	if n := after.Sub(before); n.Reads != reads || n.Bytes != reads*2*Block || n.Merged != 0 {
		t.Errorf("%d reads of two pages are %+v", reads, n)
	}
}

// TestALargeRequestIsReadInEqualParts, wherever its pages lie in memory.
func TestALargeRequestIsReadInEqualParts(t *testing.T) {
	d := newDisk(t, 64<<20)
	const parts, reads = 5, 6
	path := filepath.Join(d.Dir, "file")
	check(t, os.WriteFile(path, make([]byte, reads*parts*mostKB<<10), 0o600))
	check(t, d.Gather(t.Context()))
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	check(t, f.Sync())
	check(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM))
	check(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	before, err := d.Count()
	check(t, err)
	piece := make([]byte, parts*mostKB<<10)
	for i := range reads {
		_, err := f.ReadAt(piece, int64(i*len(piece)))
		check(t, err)
	}
	after, err := d.Count()
	check(t, err)
	if n := after.Sub(before); n.Reads != reads*parts || n.Bytes != int64(reads*len(piece)) {
		t.Errorf("%d reads of %d KiB are %+v", reads, parts*mostKB, n)
	}
}

// TestGatheredFilesAreInOnePiece: files that grew beside each other are not. What is in
// them, their modes and their holes stay.
func TestGatheredFilesAreInOnePiece(t *testing.T) {
	d := newDisk(t, 64<<20)
	var paths []string
	var files []*os.File
	for i := range 4 {
		f, err := os.OpenFile(filepath.Join(d.Dir, fmt.Sprint(i)), os.O_CREATE|os.O_WRONLY, 0o640)
		check(t, err)
		defer f.Close()
		files, paths = append(files, f), append(paths, f.Name())
	}
	piece := make([]byte, 20<<10)
	for i := range 10 {
		for k, f := range files {
			piece[0] = byte(10*k + i)
			_, err := f.Write(piece)
			check(t, err)
			check(t, f.Sync())
		}
	}
	const end = 8 << 20 // behind a hole
	check(t, files[0].Truncate(end))
	_, err := files[0].WriteAt([]byte("end"), end-3)
	check(t, err)
	check(t, files[0].Sync())
	before := pieces(t, paths)
	check(t, d.Gather(t.Context()))
	if after := pieces(t, paths); before <= 5 || after != 5 {
		t.Errorf("4 files, one of them with a hole, were in %d pieces, and are in %d", before, after)
	}
	for k, path := range paths {
		data, err := os.ReadFile(path)
		check(t, err)
		for i := range 10 {
			if at := i * len(piece); data[at] != byte(10*k+i) {
				t.Errorf("%s has %d at %d", path, data[at], at)
			}
		}
		fi, err := os.Stat(path)
		check(t, err)
		if k == 0 && (len(data) != end || string(data[end-3:]) != "end") || fi.Mode() != 0o640 {
			t.Errorf("%s has %d bytes, %v", path, len(data), fi.Mode())
		}
	}
	var st unix.Stat_t
	check(t, unix.Stat(paths[0], &st))
	if st.Blocks*512 > end/4 {
		t.Errorf("the hole is filled: %d bytes", st.Blocks*512)
	}
	if left, err := os.ReadDir(d.Dir); err != nil || len(left) != len(paths) {
		t.Errorf("there is %v (%v)", left, err)
	}
}

// pieces counts the parts of files that lie in one piece on the device (FIEMAP).
func pieces(t *testing.T, paths []string) (n int) {
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
		check(t, err)
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
