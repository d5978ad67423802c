package counter

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/internal/memorydir"
)

// testState is shared by all runs, so that each removes what a killed run left.
var testState = filepath.Join(os.TempDir(), "getio-external-tests")

// newCounter makes a counter with a disk of the given size, or skips the test.
func newCounter(t testing.TB, bytes int64) *Counter {
	t.Helper()
	c, err := New(Place{State: testState, ImageIn: memorydir.For(t), Bytes: bytes})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// pagesFile makes a file of n pages on the disk, none of them in memory.
func pagesFile(t testing.TB, c *Counter, n int64) string {
	t.Helper()
	path := filepath.Join(c.Dir, "file")
	f, err := os.Create(path)
	require.NoError(t, err)
	content := make([]byte, 64*page)
	rand.NewChaCha8([32]byte{1}).Read(content)
	for done := int64(0); done < n; done += 64 {
		_, err := f.Write(content[:min(64, n-done)*page])
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(f.Sync(), f.Close()))
	_, err = c.Empty()
	require.NoError(t, err)
	return path
}

// counted returns what is counted while do runs.
func counted(t testing.TB, c *Counter, do func() error) Count {
	t.Helper()
	before, err := c.Count()
	require.NoError(t, err)
	require.NoError(t, do())
	after, err := c.Count()
	require.NoError(t, err)
	return after.Sub(before)
}

var ways = []string{byPread, byDirect, byUring, byMap}

// scattered returns n pages in random order. None are neighbours, which the device would
// read together.
func scattered(n int) []int64 {
	pages := make([]int64, n)
	for i, p := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		pages[i] = 2 * int64(p)
	}
	return pages
}

// TestKnownReadsAreCountedExactly makes 20,000 reads of each kind.
func TestKnownReadsAreCountedExactly(t *testing.T) {
	const reads = 20_000
	c := newCounter(t, 192<<20)
	path := pagesFile(t, c, 2*reads)
	for _, how := range ways {
		t.Run(how, func(t *testing.T) {
			r := startReader(t, c, how, path)
			_, err := c.Empty()
			require.NoError(t, err)
			n := counted(t, c, func() error { return r.read(scattered(reads)...) })
			t.Logf("%d reads were made: the device counts %d, the group %d", reads, n.Device.Reads, n.Group.Reads)
			if n.Device.Reads != reads || n.Device.Bytes != reads*page || n.Device.Merged != 0 {
				t.Errorf("the device counts %+v", n.Device)
			}
			if n.Group.Reads != reads || n.Group.Bytes != reads*page {
				t.Errorf("the group counts %+v", n.Group)
			}
		})
	}
}
