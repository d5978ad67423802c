package overhead

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/statedb/counter"
)

const (
	coldPages   = 16_384
	coldLookups = 1_000
)

// BenchmarkColdLookup compares a lookup of one page with an empty page cache, counted from
// outside, with a bare read of a page that is not in memory. The difference is the cost of
// emptying, counting and tracing, with few files on the disk or many.
func BenchmarkColdLookup(b *testing.B) {
	for name, files := range map[string]int{"1-file": 1, "1000-files": 1000} {
		b.Run(name, func(b *testing.B) {
			c, err := counter.New(counter.Place{ImageIn: b.TempDir(), Bytes: 256 << 20})
			if err != nil {
				b.Skip(err)
			}
			b.Cleanup(func() { require.NoError(b, c.Close()) })
			f := coldFiles(b, c, files)
			page := make([]byte, 1)
			read := func(i int) error {
				_, err := f.ReadAt(page, int64(i*7919%coldPages)*4096)
				return err
			}
			for b.Loop() {
				_, err := c.Empty()
				require.NoError(b, err)
				begun := time.Now()
				for i := range coldLookups {
					require.NoError(b, read(i))
				}
				bare := time.Since(begun)
				begun = time.Now()
				_, err = c.Cold(coldLookups, nil, read)
				require.NoError(b, err)
				b.ReportMetric(float64(time.Since(begun))/float64(bare), "cold/read")
			}
		})
	}
}

// coldFiles makes n files on the counter's disk and opens the first, which has coldPages pages.
func coldFiles(b *testing.B, c *counter.Counter, n int) *os.File {
	b.Helper()
	for i := range n {
		size := 4096
		if i == 0 {
			size *= coldPages
		}
		require.NoError(b, os.WriteFile(filepath.Join(c.Dir, strconv.Itoa(i)), make([]byte, size), 0o600))
	}
	f, err := os.Open(filepath.Join(c.Dir, "0"))
	require.NoError(b, err)
	b.Cleanup(func() { f.Close() })
	require.NoError(b, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM))
	return f
}
