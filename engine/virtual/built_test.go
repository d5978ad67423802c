package virtual_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/virtual"
	"getio/load/treewriter"
	"getio/workload/dataset"
)

const seed = 9

var builders = []engine.Builder{pebblev1.Engine.(engine.Builder), pebblev2.Engine.(engine.Builder)}

// built is a virtual dataset.
type built struct {
	dir, db string
	builder engine.Builder
	cfg     engine.Config
	tree    *dataset.Tree
	values  *dataset.Values
}

// options make tables of few records have second-level indexes.
var options = []string{"format=13", "block_size=1KiB", "index_block_size=256"}

// variedTables are of several levels: of one record, of one block, of one index block and of many.
func variedTables(b engine.Builder) []dataset.Table {
	const end = math.MaxUint64
	tables := []dataset.Table{
		{Level: 0, First: 1 << 60, Last: 1 << 63, Keys: 1},
		{Level: 0, Sublevel: 1, First: 0, Last: 1 << 62, Keys: 300},
		{Level: 5, First: 0, Last: 1 << 62, Keys: 5},
		{Level: 5, First: 1 << 62, Last: end, Keys: 1_500},
		{Level: 6, First: 0, Last: 40, Keys: 40},
		{Level: 6, First: 40, Last: 1 << 62, Keys: 3_000},
		{Level: 6, First: 1 << 62, Last: end, Keys: 700},
	}
	for i := range tables {
		tables[i].File = b.FirstTable() + uint64(3*i)
	}
	return tables
}

// buildDataset builds a virtual dataset in a directory of its own.
func buildDataset(t testing.TB, b engine.Builder, kind string, size int, tables []dataset.Table) *built {
	t.Helper()
	cfg, err := b.Configure("", options)
	require.NoError(t, err)
	values, err := dataset.NewValues(kind, size, seed)
	require.NoError(t, err)
	tree, err := dataset.NewTree(tables)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, tree.Write(dir))
	m := &dataset.Manifest{
		Keyspace: dataset.KeyspaceStratified, Values: kind, ValueSize: size, Seed: seed, Order: dataset.OrderSequential,
		Engine: b.Name(), Preset: cfg.Preset(), Options: cfg.Effective(), Build: dataset.BuildVirtual, Complete: true,
	}
	m.SetTree(tree)
	require.NoError(t, m.Write(dir))
	d := &built{dir: dir, db: m.DBDir(dir), builder: b, cfg: cfg, tree: tree, values: values}
	job := &treewriter.Job{
		Engine: b, Config: cfg, Dataset: dir, DB: d.db, Tree: tree, Values: values, Seed: seed,
		Virtual: true, Workers: 2, Checkpoint: func(int) error { return nil },
	}
	require.NoError(t, job.Run(context.Background()))
	return d
}

// open opens the tables with at most maxFiles open files.
func (d *built) open(t testing.TB, maxFiles int) *virtual.Tables {
	t.Helper()
	tables, err := virtual.Open(d.db, maxFiles)
	require.NoError(t, err)
	t.Cleanup(func() { tables.Close() })
	return tables
}

func (d *built) path(i int) string { return d.builder.TablePath(d.db, d.tree.Tables[i].File) }

// table opens table i of the tree.
func (d *built) table(t testing.TB, tables *virtual.Tables, i int) *virtual.Table {
	t.Helper()
	table, err := tables.Table(d.path(i), d.tree.Tables[i].File)
	require.NoError(t, err)
	return table
}

// truth is table i as the library writes it. The filter of the last level, which
// virtual tables do not have, is zeros.
func (d *built) truth(t testing.TB, tables *virtual.Tables, i int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.sst")
	w, err := d.builder.NewTable(path, d.cfg, d.tree.Tables[i].Level)
	require.NoError(t, err)
	cursor := d.tree.Cursor(seed, i, 0)
	var key [dataset.KeySize]byte
	for range d.tree.Tables[i].Keys {
		index, seq := cursor.Next(&key)
		require.NoError(t, w.Set(key[:], seq, d.values.Value(index, nil)))
	}
	require.NoError(t, w.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	if d.tree.Tables[i].Level == 6 {
		table := d.table(t, tables, i)
		clear(whole[table.DataSize():table.IndexStart()])
	}
	return whole
}

// says requires an error of one line that names a file or directory and contains the words,
// and that shows no internals of the program.
func says(t testing.TB, err error, where string, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", words)
		return
	}
	text := err.Error()
	for _, word := range append(words, where) {
		assert.Contains(t, text, word)
	}
	for _, bad := range []string{"\n", "EOF", "%!", "0xc0", "<nil>", "runtime"} {
		assert.NotContains(t, text, bad)
	}
}

// snapshot keeps the bytes of a file and puts them back.
func snapshot(t testing.TB, path string) (whole []byte, restore func()) {
	t.Helper()
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	return bytes.Clone(whole), func() { require.NoError(t, os.WriteFile(path, whole, 0o644)) }
}
