package pagecache

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/system/machine"
)

// treeOf creates files of the given numbers of pages, none of which is in memory. It skips the
// test if temporary files have no device.
func treeOf(t *testing.T, pages map[string]int64) (dir string, tree *Files) {
	t.Helper()
	dir = t.TempDir()
	for name, n := range pages {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, make([]byte, n*Page), 0o600))
	}
	tree, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	if d := drop(t, tree); d.Stayed > 0 {
		t.Skipf("files stay in memory: %+v", d)
	}
	return dir, tree
}

func drop(t *testing.T, tree *Files) Dropped {
	t.Helper()
	d, err := tree.Drop()
	require.NoError(t, err)
	return d
}

// touch reads a byte of each of the pages, without readahead.
func touch(t *testing.T, path string, pages ...int64) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM))
	for _, p := range pages {
		_, err := f.ReadAt(make([]byte, 1), p*Page)
		require.NoError(t, err)
	}
}

// TestResident checks, with cachestat and with mincore, that exactly the pages that were read are
// in memory and are dropped.
func TestResident(t *testing.T) {
	for _, slow := range []bool{false, true} {
		dir, tree := treeOf(t, map[string]int64{"a": 100, "sub/b": 10, "empty": 0})
		tree.noCachestat = slow
		touch(t, filepath.Join(dir, "a"), 3, 4, 5, 50)
		touch(t, filepath.Join(dir, "sub/b"), 9)
		extents, err := tree.Resident()
		require.NoError(t, err)
		var got [][2]int64
		for _, e := range extents {
			got = append(got, [2]int64{e.First, e.Pages})
		}
		slices.SortFunc(got, func(a, b [2]int64) int { return int(a[0] - b[0]) })
		assert.Equal(t, [][2]int64{{3, 3}, {9, 1}, {50, 1}}, got)
		if d := drop(t, tree); d.Found != 5*Page || d.Stayed != 0 {
			t.Errorf("%+v", d)
		}
		assert.Zero(t, drop(t, tree).Found)
	}
}

// TestFilesChange checks that new files are dropped too, removed ones are closed, files that grow
// are dropped completely, and dirty pages are written.
func TestFilesChange(t *testing.T) {
	for _, slow := range []bool{false, true} {
		dir, tree := treeOf(t, map[string]int64{"a": 4, "b": 4})
		tree.noCachestat = slow
		fresh := filepath.Join(dir, "sub", "new")
		require.NoError(t, os.Mkdir(filepath.Dir(fresh), 0o755))
		require.NoError(t, os.WriteFile(fresh, make([]byte, 7*Page), 0o600))
		if d := drop(t, tree); d.Found != 7*Page || d.Stayed != 0 {
			t.Errorf("a new file: %+v", d)
		}
		require.NoError(t, os.WriteFile(fresh, make([]byte, 9*Page), 0o600))
		if d := drop(t, tree); d.Found != 9*Page || d.Stayed != 0 {
			t.Errorf("a file that grew: %+v", d)
		}
		require.NoError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")))
		require.NoError(t, os.Remove(filepath.Join(dir, "b")))
		touch(t, filepath.Join(dir, "c"), 1)
		assert.Equal(t, Page, drop(t, tree).Found)
		assert.Equal(t, 2, len(tree.files))
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestUnchangedTreeIsNotRescanned checks that no time is wasted on a rescan.
func TestUnchangedTreeIsNotRescanned(t *testing.T) {
	dir, tree := treeOf(t, map[string]int64{"a": 1})
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(dir, past, past))
	drop(t, tree)
	if !tree.dirs[dir].Equal(past) {
		t.Errorf("%v, want %v", tree.dirs[dir], past)
	}
}

// TestMappedPages checks that they are dropped only after PageOut, and locked ones never. The kernel remembers what
// PageOut evicted until ForgetEvictions.
func TestMappedPages(t *testing.T) {
	dir, tree := treeOf(t, map[string]int64{"a": 100})
	path := filepath.Join(dir, "a")
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, int(100*Page), unix.PROT_READ, unix.MAP_SHARED)
	require.NoError(t, err)
	defer unix.Munmap(m)
	require.NoError(t, unix.Madvise(m, unix.MADV_RANDOM))
	read := func() {
		for _, p := range []int64{2, 3, 77} {
			touched += m[p*Page]
		}
	}
	read()
	if d := drop(t, tree); d.Stayed < 3*Page || d.Most != path {
		t.Errorf("mapped pages were dropped: %+v", d)
	}
	var st unix.Stat_t
	require.NoError(t, unix.Fstat(int(f.Fd()), &st))
	number := uint64(st.Dev)
	if err := PageOut(os.Getpid(), number); err != nil {
		t.Skip(err)
	}
	assert.Zero(t, drop(t, tree).Stayed)
	if stat, err := cached(int(f.Fd())); !errors.Is(err, errNoCachestat) {
		require.NoError(t, err)
		assert.GreaterOrEqual(t, stat.Evicted, uint64(3))
	}
	require.NoError(t, tree.ForgetEvictions())
	if stat, err := cached(int(f.Fd())); !errors.Is(err, errNoCachestat) {
		require.NoError(t, err)
		assert.Zero(t, stat.Evicted)
	}
	read()
	require.NoError(t, unix.Mlock(m[2*Page:3*Page]))
	require.NoError(t, PageOut(os.Getpid(), number))
	if d := drop(t, tree); d.Stayed == 0 {
		t.Errorf("a locked page was dropped: %+v", d)
	}
}

// TestLargeMappingIsPagedOut maps more than the kernel pages out in one call.
func TestLargeMappingIsPagedOut(t *testing.T) {
	dir, tree := treeOf(t, map[string]int64{"a": 1})
	path := filepath.Join(dir, "a")
	const size = 5 << 30
	require.NoError(t, os.Truncate(path, size)) // a hole
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	require.NoError(t, err)
	defer unix.Munmap(m)
	require.NoError(t, unix.Madvise(m, unix.MADV_RANDOM))
	for _, at := range []int{0, 2<<30 - 1, 2 << 30, 4 << 30, size - 1} {
		touched += m[at]
	}
	require.GreaterOrEqual(t, drop(t, tree).Stayed, 5*Page)
	var st unix.Stat_t
	require.NoError(t, unix.Fstat(int(f.Fd()), &st))
	if err := PageOut(os.Getpid(), uint64(st.Dev)); err != nil {
		t.Skip(err)
	}
	assert.Zero(t, drop(t, tree).Stayed)
}

// TestUnseen asks about mappings with and without advice, and about other files.
func TestUnseen(t *testing.T) {
	dir, _ := treeOf(t, map[string]int64{"a": 8})
	f, err := os.Open(filepath.Join(dir, "a"))
	require.NoError(t, err)
	defer f.Close()
	var st unix.Stat_t
	require.NoError(t, unix.Fstat(int(f.Fd()), &st))
	m, err := unix.Mmap(int(f.Fd()), 0, int(8*Page), unix.PROT_READ, unix.MAP_SHARED)
	require.NoError(t, err)
	defer unix.Munmap(m)
	since63, known := machine.KernelSince(6, 3)
	require.True(t, known)
	for _, c := range []struct {
		advice int
		want   bool
	}{{unix.MADV_NORMAL, false}, {unix.MADV_SEQUENTIAL, true}, {unix.MADV_NORMAL, false}, {unix.MADV_RANDOM, since63}} {
		require.NoError(t, unix.Madvise(m[2*Page:4*Page], c.advice))
		unseen, err := Unseen(os.Getpid(), uint64(st.Dev))
		require.NoError(t, err)
		assert.Equal(t, c.want, unseen, "advice %d", c.advice)
		unseen, err = Unseen(os.Getpid(), uint64(st.Dev)+1)
		require.NoError(t, err)
		assert.False(t, unseen, "of another device, advice %d", c.advice)
	}
	unseen, err := Unseen(1<<22+1, uint64(st.Dev)) // above the largest process ID
	require.NoError(t, err)
	assert.False(t, unseen)
}

var touched byte // so that reads are not optimised away

func TestPageOutOfAnEndedProcess(t *testing.T) {
	if err := PageOut(1<<22+1, 1); err != nil { // above the largest process ID
		t.Error(err)
	}
}

func TestParseMapped(t *testing.T) {
	a, device, ok := parseMapped("7f0c00000000-7f0c00021000 r--s 00000000 07:0a 12    /mnt/data.mdb")
	if want := (area{0x7f0c00000000, 0x21000}); !ok || a != want || device != unix.Mkdev(7, 10) {
		t.Errorf("%+v, %d, %v", a, device, ok)
	}
	for _, bad := range []string{"", "7f-", "2-1 r--s 0 07:00 1", "x-y r--s 0 07:00 1"} {
		if a, _, ok := parseMapped(bad); ok {
			t.Errorf("%q is %+v", bad, a)
		}
	}
}

func FuzzParseMapped(f *testing.F) {
	f.Add("7f0c00000000-7f0c00021000 r--s 00000000 07:0a 12    /mnt/data.mdb")
	f.Fuzz(func(t *testing.T, line string) {
		if a, _, ok := parseMapped(line); ok && (a.length == 0 || strings.TrimSpace(line) == "") {
			t.Errorf("%q is %+v", line, a)
		}
	})
}
