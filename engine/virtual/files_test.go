package virtual

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbered makes n files, each of which holds its number.
func numbered(t *testing.T, n int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("%04d", i)))
		require.NoError(t, os.WriteFile(paths[i], fmt.Appendf(nil, "%04d", i), 0o644))
	}
	return paths
}

// holds reads file i through the pool.
func holds(t *testing.T, f *files, paths []string, i int) {
	t.Helper()
	var b [4]byte
	require.NoError(t, f.readAt(paths[i], b[:], 0))
	if string(b[:]) != filepath.Base(paths[i]) {
		t.Fatalf("%s reads as %s", paths[i], b)
	}
}

// open are the files that the process has open below the directory of paths.
func open(t *testing.T, paths []string) (names []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, link := range links {
		file, err := os.Readlink(link)
		if err == nil && filepath.Dir(file) == filepath.Dir(paths[0]) {
			names = append(names, filepath.Base(file))
		}
	}
	slices.Sort(names)
	return names
}

func TestOpenFilesAreLimited(t *testing.T) {
	paths := numbered(t, 300)
	for _, most := range []int{1, 2, 7, 299, 300} {
		f := newFiles(most)
		for range 2 {
			for i := range paths {
				holds(t, f, paths, i)
			}
		}
		assert.Equal(t, most, len(open(t, paths)))
		require.NoError(t, f.close())
		assert.Empty(t, open(t, paths))
	}
}

func TestLeastRecentlyUsedFilesAreClosedFirst(t *testing.T) {
	paths := numbered(t, 6)
	f := newFiles(3)
	defer f.close()
	for _, i := range []int{0, 1, 2, 0, 3} {
		holds(t, f, paths, i)
	}
	if got, want := open(t, paths), []string{"0000", "0002", "0003"}; !slices.Equal(got, want) {
		t.Errorf("open are %v, want %v", got, want)
	}
	holds(t, f, paths, 4)
	if got, want := open(t, paths), []string{"0000", "0003", "0004"}; !slices.Equal(got, want) {
		t.Errorf("open are %v, want %v", got, want)
	}
}

// TestFilesInUseStayOpen: files that are being read stay open even above the limit. The pool
// shrinks again afterwards.
func TestFilesInUseStayOpen(t *testing.T) {
	paths := numbered(t, 10)
	f := newFiles(2)
	defer f.close()
	var inUse []*openFile
	for _, path := range paths[:5] {
		o, err := f.use(path)
		require.NoError(t, err)
		inUse = append(inUse, o)
	}
	holds(t, f, paths, 7)
	for i, o := range inUse {
		var b [4]byte
		if _, err := o.file.ReadAt(b[:], 0); err != nil || string(b[:]) != fmt.Sprintf("%04d", i) {
			t.Errorf("file %d in use reads as %q (%v)", i, b, err)
		}
		f.done(o)
	}
	holds(t, f, paths, 8)
	if got := open(t, paths); len(got) != 2 || !slices.Contains(got, "0008") {
		t.Errorf("open are %v, want 0008 and one other", got)
	}
}

func TestManyReadersShareFewFiles(t *testing.T) {
	paths := numbered(t, 50)
	f := newFiles(4)
	defer f.close()
	var readers sync.WaitGroup
	for r := range 8 {
		readers.Go(func() {
			var b [4]byte
			for n := range 2_000 {
				i := (n*(2*r+1) + r) % len(paths)
				if err := f.readAt(paths[i], b[:], 0); err != nil || string(b[:]) != fmt.Sprintf("%04d", i) {
					t.Errorf("file %d reads as %q (%v)", i, b, err)
					return
				}
			}
		})
	}
	readers.Wait()
	assert.LessOrEqual(t, len(open(t, paths)), 4+8)
	holds(t, f, paths, 0)
	holds(t, f, paths, 1)
	assert.LessOrEqual(t, len(open(t, paths)), 4)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	paths := numbered(t, 3)
	f := newFiles(2)
	defer f.close()
	var b [5]byte
	assert.ErrorContains(t, f.readAt(paths[0], b[:], 0), "ends too early")
	if err := f.readAt(paths[0]+"x", b[:], 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	holds(t, f, paths, 1)
	holds(t, f, paths, 2)
	assert.Len(t, open(t, paths), 2)
}
