package virtual_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/virtual"
	"getio/workload/dataset"
)

// again is the advice in every error about a damaged table.
const again = "build the dataset again"

func TestDamagedTablesDoNotOpen(t *testing.T) {
	b := builders[0]
	d := buildDataset(t, b, dataset.ValuesPool32, 110, variedTables(b))
	tables := d.open(t, 10)
	number := d.tree.Tables[5].File
	path := d.path(5)
	whole, restore := snapshot(t, path)

	_, err := tables.Table(path, number+1)
	says(t, err, path, again)
	require.NoError(t, os.Remove(path))
	_, err = tables.Table(path, number)
	says(t, err, path, again)
	restore()
	table := d.table(t, tables, 5)
	for _, cut := range []int64{0, 1, 8, 27, 28, 100, table.DataSize(), table.IndexStart(), table.Size() - 1} {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o644))
		_, err := tables.Table(path, number)
		says(t, err, path, again)
	}
	require.NoError(t, os.WriteFile(path, append(bytes.Clone(whole), 0), 0o644))
	_, err = tables.Table(path, number)
	says(t, err, path, again)
	for at := range 100 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x10
		require.NoError(t, os.WriteFile(path, damaged, 0o644))
		_, err := tables.Table(path, number)
		says(t, err, path, again)
	}
	restore()
	d.table(t, tables, 5)
}

// TestTableTruncatedWhileOpen: reads beyond the end of a truncated file fail; reads of what
// remains are correct.
func TestTableTruncatedWhileOpen(t *testing.T) {
	b := builders[1]
	d := buildDataset(t, b, dataset.ValuesRandom, 110, variedTables(b))
	tables := d.open(t, 10)
	table, want := d.table(t, tables, 5), d.truth(t, tables, 5)
	require.NoError(t, os.Truncate(d.path(5), table.IndexStart()+1))
	_, err := table.ReadAt(make([]byte, 10), 0)
	says(t, err, d.path(5), again)
	_, err = table.ReadAt(make([]byte, 61), table.Size()-61)
	says(t, err, d.path(5), again)
	got := make([]byte, 1)
	_, err = table.ReadAt(got, table.IndexStart())
	require.NoError(t, err)
	assert.Equal(t, want[table.IndexStart():][:1], got, "the first byte of the index differs")
	require.NoError(t, os.Truncate(d.path(5), 0))
	require.NoError(t, tables.Close()) // so that the file must be opened again
	require.NoError(t, os.Remove(d.path(5)))
	_, err = table.ReadAt(make([]byte, 10), 0)
	says(t, err, d.path(5), again)
}

// A bit of the index that changes under a reader makes no data block other than
// the true one: there is an error, or the block does not depend on the bit.
func TestDamagedIndexMakesNoWrongBlock(t *testing.T) {
	eachDataset(t, func(t *testing.T, d *built) {
		tables := d.open(t, 10)
		const i = 3
		table, want := d.table(t, tables, i), d.truth(t, tables, i)
		whole, restore := snapshot(t, d.path(i))
		random := rand.New(rand.NewPCG(5, 6))
		from, to := table.IndexStart(), table.Size()
		refused := 0
		got := make([]byte, table.DataSize())
		for range 60 {
			damaged := bytes.Clone(whole)
			at := from + random.Int64N(to-from)
			damaged[at] ^= 1 << random.IntN(8)
			require.NoError(t, os.WriteFile(d.path(i), damaged, 0o644))
			if n, err := table.ReadAt(got, 0); err != nil {
				refused++
				says(t, err, d.path(i), again)
				assert.Equal(t, want[:n], got[:n], "byte %d is damaged, and the %d bytes before the error differ", at, n)
			} else if !bytes.Equal(got, want[:len(got)]) {
				t.Errorf("byte %d is damaged, and the data differ", at)
			}
		}
		assert.GreaterOrEqual(t, refused, 10)
		restore()
		require.NoError(t, os.WriteFile(d.path(i), whole, 0o644))
	})
}

// TestSwappedTables swaps the files of two tables, which must be noticed.
func TestSwappedTables(t *testing.T) {
	eachDataset(t, func(t *testing.T, d *built) {
		const x, y = 5, 6
		parked := d.path(x) + ".parked"
		require.NoError(t, os.Rename(d.path(x), parked))
		require.NoError(t, os.Rename(d.path(y), d.path(x)))
		require.NoError(t, os.Rename(parked, d.path(y)))
		tables := d.open(t, 10)
		for _, i := range []int{x, y} {
			table := d.table(t, tables, i)
			_, err := table.ReadAt(make([]byte, table.DataSize()), 0)
			says(t, err, d.path(i), again)
		}
	})
}

// TestDatasetOfOtherTables uses another tree with as many keys, and values of another kind.
// The lengths of generated blocks then differ from the index.
func TestDatasetOfOtherTables(t *testing.T) {
	b := builders[0]
	d := buildDataset(t, b, dataset.ValuesPool32, 110, variedTables(b))
	m, err := dataset.Read(d.dir)
	require.NoError(t, err)
	read := func(words ...string) {
		t.Helper()
		tables, err := virtual.Open(d.db, 10)
		require.NoError(t, err)
		defer tables.Close()
		table := d.table(t, tables, 5)
		_, err = table.ReadAt(make([]byte, table.DataSize()), 0)
		says(t, err, d.path(5), words...)
	}
	for name, change := range map[string]func(){
		"values":        func() { m.Values = dataset.ValuesRandom },
		"size of value": func() { m.ValueSize++ },
		"seed":          func() { m.Seed++ },
	} {
		kept := *m
		change()
		require.NoError(t, m.Write(d.dir))
		t.Run(name, func(*testing.T) { read("do not belong together", again) })
		*m = kept
	}
	require.NoError(t, m.Write(d.dir))
	other := variedTables(b)
	other[5].Keys, other[6].Keys = other[5].Keys-100, other[6].Keys+100
	tree, err := dataset.NewTree(other)
	require.NoError(t, err)
	require.NoError(t, tree.Write(d.dir))
	read(again)
}
