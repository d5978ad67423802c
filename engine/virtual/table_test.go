package virtual_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/virtual"
	"getio/workload/dataset"
)

// eachDataset runs a test for both engines and both kinds of values, or for the
// half of them if time is short.
func eachDataset(t *testing.T, test func(t *testing.T, d *built)) {
	for i, b := range builders {
		for j, kind := range []string{dataset.ValuesPool32, dataset.ValuesRandom} {
			if testing.Short() && i != j {
				continue
			}
			t.Run(b.Name()+"/"+kind, func(t *testing.T) {
				t.Parallel()
				test(t, buildDataset(t, b, kind, 110, variedTables(b)))
			})
		}
	}
}

// readRange draws a range of a table of a size: short ones, and such that cover
// several blocks, or end with the table.
func readRange(random *rand.Rand, size int64) (off, n int64) {
	off = random.Int64N(size)
	switch random.IntN(4) {
	case 0:
		n = random.Int64N(8)
	case 1:
		n = random.Int64N(2_000)
	case 2:
		n = random.Int64N(20_000)
	default:
		n = size
	}
	return off, min(n, size-off)
}

// TestReadsMatchPebble compares reads of any range with the same table written by Pebble:
// within a block, across blocks, into the tail, and of the whole table.
func TestReadsMatchPebble(t *testing.T) {
	eachDataset(t, func(t *testing.T, d *built) {
		tables := d.open(t, 100)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range d.tree.Tables {
			table, want := d.table(t, tables, i), d.truth(t, tables, i)
			require.Equal(t, int64(len(want)), table.Size(), "size of table %d", i)
			compare := func(off, n int64) {
				got := bytes.Repeat([]byte{0xa5}, int(n))
				if m, err := table.ReadAt(got, off); err != nil || int64(m) != n {
					t.Fatalf("table %d, [%d, %d): %d bytes, %v", i, off, off+n, m, err)
				}
				require.Equal(t, want[off:off+n], got, "table %d, [%d, %d) differs", i, off, off+n)
			}
			compare(0, table.Size())
			compare(table.DataSize()-1, 2)
			compare(table.DataSize(), 0)
			compare(table.DataSize(), table.Size()-table.DataSize())
			for range 150 {
				compare(readRange(random, table.Size()))
			}
		}
	})
}

// TestReadsBeyondTheEnd checks the results that io.ReaderAt requires.
func TestReadsBeyondTheEnd(t *testing.T) {
	d := buildDataset(t, builders[0], dataset.ValuesPool32, 110, variedTables(builders[0]))
	tables := d.open(t, 100)
	for i := range d.tree.Tables {
		table, want := d.table(t, tables, i), bytes.NewReader(d.truth(t, tables, i))
		size := table.Size()
		for _, off := range []int64{0, 1, table.DataSize() - 1, table.DataSize(), size - 61, size - 1, size, size + 1, size + 1<<40, 1<<63 - 1} {
			for _, n := range []int64{0, 1, 61, size, size + 1, size + 100} {
				got, model := make([]byte, n), make([]byte, n)
				m, err := table.ReadAt(got, off)
				wantN, wantErr := want.ReadAt(model, off)
				if n == 0 {
					wantErr = nil // an empty read always succeeds
				}
				if m != wantN || err != wantErr || !bytes.Equal(got, model) {
					t.Errorf("table %d, %d bytes at %d: %d bytes, %v, want %d, %v", i, n, off, m, err, wantN, wantErr)
				}
			}
		}
		if _, err := table.ReadAt(make([]byte, 1), -1); err == nil || err == io.EOF {
			t.Errorf("a read before the beginning: %v", err)
		}
	}
}

// TestConcurrentReads reads with more tables than open files.
func TestConcurrentReads(t *testing.T) {
	eachDataset(t, func(t *testing.T, d *built) {
		tables := d.open(t, 2)
		var opened []*virtual.Table
		var want [][]byte
		for i := range d.tree.Tables {
			opened = append(opened, d.table(t, tables, i))
			want = append(want, d.truth(t, tables, i))
		}
		var readers sync.WaitGroup
		for r := range uint64(6) {
			readers.Go(func() {
				random := rand.New(rand.NewPCG(2, r))
				for range 60 {
					i := random.IntN(len(opened))
					off, n := readRange(random, opened[i].Size())
					got := make([]byte, n)
					if _, err := opened[i].ReadAt(got, off); err != nil || !bytes.Equal(got, want[i][off:off+n]) {
						t.Errorf("table %d, [%d, %d) differs, or failed (%v)", i, off, off+n, err)
						return
					}
				}
			})
		}
		readers.Wait()
	})
}

// TestMoreTablesThanFiles reads a database with more tables than open files.
func TestMoreTablesThanFiles(t *testing.T) {
	b := builders[1]
	var tables []dataset.Table
	for i := range uint64(60) {
		tables = append(tables, dataset.Table{
			File: b.FirstTable() + i, Level: 6, First: dataset.Prefix(i << 56), Last: dataset.Prefix((i + 1) << 56), Keys: 20 + i,
		})
	}
	d := buildDataset(t, b, dataset.ValuesRandom, 110, tables)
	const most = 3
	opened := d.open(t, most)
	var all []*virtual.Table
	for i := range tables {
		all = append(all, d.table(t, opened, i))
	}
	for i, table := range all {
		got := make([]byte, table.Size())
		_, err := table.ReadAt(got, 0)
		require.NoError(t, err)
		assert.Equal(t, d.truth(t, opened, i), got, "table %d differs", i)
		require.LessOrEqual(t, openBelow(t, d.db), most)
	}
}

// openBelow counts the files below dir that the process has open.
func openBelow(t *testing.T, dir string) (n int) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, link := range links {
		if file, err := os.Readlink(link); err == nil && strings.HasPrefix(file, dir+"/") {
			n++
		}
	}
	return n
}

// TestFileSupportsOnlyReadAt calls all methods of a File.
func TestFileSupportsOnlyReadAt(t *testing.T) {
	d := buildDataset(t, builders[0], dataset.ValuesPool32, 110, variedTables(builders[0]))
	table := d.table(t, d.open(t, 10), 0)
	f := virtual.File{Table: table}
	for name, do := range map[string]func() error{
		"Read":        func() error { _, err := f.Read(make([]byte, 1)); return err },
		"Write":       func() error { _, err := f.Write(make([]byte, 1)); return err },
		"WriteAt":     func() error { _, err := f.WriteAt(make([]byte, 1), 0); return err },
		"Preallocate": func() error { return f.Preallocate(0, 1) },
	} {
		assert.Error(t, do(), "%s works", name)
	}
	fi, err := f.Description()
	require.NoError(t, err)
	assert.Equal(t, table.Size(), fi.Size())
	require.NoError(t, f.Close())
	_, err = f.ReadAt(make([]byte, 1), 0)
	assert.NoError(t, err, "closing a library's file closed the table")
}

// BenchmarkReadBlock makes data blocks, each read as a library reads it.
func BenchmarkReadBlock(b *testing.B) {
	for _, e := range []engine.Builder{builders[0], builders[1]} {
		for _, kind := range []string{dataset.ValuesPool32, dataset.ValuesRandom} {
			b.Run(fmt.Sprintf("%s/%s", e.Name(), kind), func(b *testing.B) {
				d := buildDataset(b, e, kind, 110, variedTables(e))
				table := d.table(b, d.open(b, 10), 5)
				random := rand.New(rand.NewPCG(3, 4))
				buf := make([]byte, 16)
				for b.Loop() {
					if _, err := table.ReadAt(buf, random.Int64N(table.DataSize()-16)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
