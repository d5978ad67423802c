package device

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written writes a file of n random bytes, syncs it and returns its path and contents.
func written(t *testing.T, dir string, n int) (string, []byte) {
	t.Helper()
	data := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(data)
	path := filepath.Join(dir, "table")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = f.Write(data)
	require.NoError(t, errors.Join(err, f.Sync(), f.Close()))
	return path, data
}

// reader opens the file through the layer. It skips the test if temporary files have no device.
func reader(t *testing.T, l *Layer, path string) io.ReaderAt {
	t.Helper()
	if err := l.Prepare([]string{path}); err != nil {
		t.Skipf("temporary files are not on a device: %v", err)
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	r, err := l.Reader(f, path)
	require.NoError(t, err)
	return r
}

// kernelCounts skips the test if the kernel does not count reads.
func kernelCounts(t *testing.T) ProcessIO {
	t.Helper()
	a, err := ReadProcessIO()
	if err != nil {
		t.Skip(err)
	}
	return a
}

// TestBypassMatchesTheKernel checks that reads past the page cache return the file's bytes at any
// offset and length, even at its end, and that the kernel counts exactly the blocks they touch.
func TestBypassMatchesTheKernel(t *testing.T) {
	for _, size := range []int{1, 4095, 4096, 4097, 1<<20 + 1045} {
		path, data := written(t, t.TempDir(), size)
		l := New(Bypass, Model{})
		r := reader(t, l, path)
		random := rand.New(rand.NewPCG(1, uint64(size)))
		type extent struct{ off, n int }
		extents := []extent{{0, 1}, {0, size}, {size - 1, 1}, {size - 1, 100}, {size, 1}, {max(0, size-5000), 9000}}
		for range 200 {
			extents = append(extents, extent{random.IntN(size), 1 + random.IntN(20_000)})
		}
		var want Count
		before, start := kernelCounts(t), l.Count()
		for _, e := range extents {
			p := make([]byte, e.n)
			n, err := r.ReadAt(p, int64(e.off))
			whole := min(size-e.off, e.n)
			if n != whole || (err == io.EOF) != (whole < e.n) || err != nil && err != io.EOF {
				t.Fatalf("%d bytes at %d of %d: %d, %v", e.n, e.off, size, n, err)
			}
			require.Equal(t, data[e.off:e.off+n], p[:n], "%d bytes at %d of %d differ", e.n, e.off, size)
			if first, last := e.off/Block, (min(e.off+e.n, size)-1)/Block; last >= first && first*Block < size {
				want.Bytes += int64(last-first+1) * Block
				want.Reads++
			}
		}
		if n, err := r.ReadAt(nil, 0); n != 0 || err != nil {
			t.Errorf("an empty read: %d, %v", n, err)
		}
		got, kernel := l.Count().Sub(start), kernelCounts(t).Sub(before)
		assert.Equal(t, want, got, "file of %d bytes", size)
		if kernel.Bytes != want.Bytes && kernel.Faults == 0 {
			t.Errorf("file of %d bytes: the kernel counts %d bytes, want %d", size, kernel.Bytes, want.Bytes)
		}
	}
}

// TestBypassConcurrently checks that concurrent reads do not share a buffer.
func TestBypassConcurrently(t *testing.T) {
	path, data := written(t, t.TempDir(), 1<<20+77)
	r := reader(t, New(Bypass, Model{}), path)
	var all sync.WaitGroup
	for w := range uint64(8) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(2, w))
			p := make([]byte, 300_000)
			for range 100 {
				off, n := random.IntN(len(data)), 1+random.IntN(1<<(2+random.IntN(16)))
				got, err := r.ReadAt(p[:n], int64(off))
				if err != nil && err != io.EOF || !bytes.Equal(p[:got], data[off:min(off+n, len(data))]) {
					t.Errorf("%d bytes at %d: %d, %v", n, off, got, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestBypassReusesBuffers(t *testing.T) {
	path, _ := written(t, t.TempDir(), 1<<20)
	r := reader(t, New(Bypass, Model{}), path)
	p := make([]byte, 5000)
	read := func() {
		_, err := r.ReadAt(p, 12_345)
		require.NoError(t, err)
	}
	read()
	if n := testing.AllocsPerRun(100, read); n >= 1 && !raceEnabled {
		t.Errorf("%v allocations per read", n)
	}
}

// TestColdReadsOnce checks that a file whose pages were dropped is read from the device once, and
// that the counts of the threads equal those of the process.
func TestColdReadsOnce(t *testing.T) {
	path, data := written(t, t.TempDir(), 1<<20)
	l := New(Cold, Model{})
	r := reader(t, l, path)
	p := make([]byte, len(data))
	before := kernelCounts(t)
	if _, err := r.ReadAt(p, 0); err != nil || !bytes.Equal(p, data) {
		t.Fatalf("%v", err)
	}
	first, kernel := l.Count(), kernelCounts(t).Sub(before)
	if first != (Count{1, int64(len(data))}) || kernel.Bytes != first.Bytes && kernel.Faults == 0 {
		t.Errorf("%+v counted, %+v by the kernel, of %d bytes", first, kernel, len(data))
	}
	if _, err := r.ReadAt(p, 0); err != nil || l.Count() != first {
		t.Errorf("second read: %+v, %v", l.Count(), err)
	}
}

func TestKeepReadsTheFileItself(t *testing.T) {
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer f.Close()
	var none *Layer
	for _, l := range []*Layer{none, New(Keep, Model{})} {
		if r, err := l.Reader(f, f.Name()); r != f || err != nil {
			t.Errorf("%v, %v", r, err)
		}
		require.NoError(t, l.Prepare([]string{"none"}))
		l.Slow(true)
		if l.Count() != (Count{}) || l.PageCache() != Keep || l.Model() != (Model{}) {
			t.Errorf("%+v", l)
		}
	}
}

// TestFilesInMemoryAreRefused, although tmpfs accepts O_DIRECT.
func TestFilesInMemoryAreRefused(t *testing.T) {
	const memory = "/dev/shm"
	if _, err := os.Stat(memory); err != nil {
		t.Skip(err)
	}
	kernelCounts(t)
	dir, err := os.MkdirTemp(memory, "getio")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path, _ := written(t, dir, 10_000)
	for pages, want := range map[PageCache]string{Bypass: "leave --page-cache bypass out", Cold: "stay in memory"} {
		assert.ErrorContains(t, New(pages, Model{}).Prepare([]string{path}), want)
	}
}

func TestRefusedDirectIONamesTheFile(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	if _, err := New(Bypass, Model{}).Reader(closedFile{r}, "table"); err == nil || !strings.HasPrefix(err.Error(), "table cannot be read past the page cache") {
		t.Errorf("%v", err)
	}
}

// closedFile has an invalid descriptor.
type closedFile struct{ *os.File }

func (closedFile) Fd() uintptr { return ^uintptr(0) }

func TestInvalidProcessIO(t *testing.T) {
	path := processIOPath
	defer func() { processIOPath = path }()
	for name, content := range map[string]string{"missing": "", "another": "rchar: 1\n", "invalid": "read_bytes: x\n"} {
		processIOPath = filepath.Join(t.TempDir(), name)
		if content != "" {
			require.NoError(t, os.WriteFile(processIOPath, []byte(content), 0o600))
		}
		if a, err := ReadProcessIO(); err == nil || !strings.Contains(err.Error(), processIOPath) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestDiskCounts(t *testing.T) {
	path, _ := written(t, t.TempDir(), 1<<20)
	disk, err := DiskOf(path)
	if err != nil {
		t.Skip(err)
	}
	r := reader(t, New(Bypass, Model{}), path)
	before, err := disk.Reads()
	require.NoError(t, err)
	const reads = 20
	for i := range reads {
		_, err := r.ReadAt(make([]byte, 10), int64(i)*Block)
		require.NoError(t, err)
	}
	if after, err := disk.Reads(); err != nil || after-before < reads {
		t.Errorf("%s completed %d reads while %d were made (%v)", disk.Name, after-before, reads, err)
	}
	_, err = DiskOf(filepath.Join(path, "none"))
	assert.Error(t, err, "found the device of a missing file")
}

func TestParsePageCache(t *testing.T) {
	for word, want := range map[string]PageCache{"keep": Keep, "cold": Cold, "bypass": Bypass} {
		if got, err := ParsePageCache(word); got != want || err != nil {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
	for _, word := range []string{"", "cached", "Bypass", "no"} {
		_, err := ParsePageCache(word)
		assert.ErrorContains(t, err, "keep")
	}
}
