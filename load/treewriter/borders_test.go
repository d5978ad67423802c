package treewriter_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/load/treewriter"
	"getio/workload/dataset"
)

// borders describes a tree by the parameters that decide where its blocks end.
type borders struct {
	flags          uint8  // engineBit, randomBit, plainBit
	valueSize      uint16 // bytes
	blockSize      uint16
	indexBlockSize uint16
	interval       uint8 // records between restart points
	first, width   uint64
	tables         []byte // three bytes each: level, records
	seed           uint64
}

const (
	engineBit = 1 << iota // Pebble v2 instead of v1
	randomBit             // random values instead of those of a pool
	plainBit              // no compression
)

// seeds is the fuzz corpus. A record has 43 bytes besides its value, 4 more at a restart point.
var seeds = map[string]borders{
	"one record":               {tables: []byte{3, 0, 0}},
	"15 to 18 records":         {tables: []byte{0, 14, 0, 1, 15, 0, 2, 16, 0, 3, 17, 0}},
	"31 to 34 records":         {flags: engineBit, tables: []byte{0, 30, 0, 1, 31, 0, 2, 32, 0, 3, 33, 0}},
	"blocks of 16 records":     {valueSize: 57, blockSize: 1_640, tables: []byte{2, 0, 1, 3, 16, 1, 3, 31, 1}},
	"blocks of 17 records":     {flags: engineBit | randomBit, valueSize: 57, blockSize: 1_740, tables: []byte{2, 0, 1, 3, 16, 1, 3, 33, 1}},
	"blocks of 32 records":     {flags: randomBit | plainBit, valueSize: 7, blockSize: 1_640, tables: []byte{3, 0, 1, 3, 32, 1}},
	"last block of one record": {flags: randomBit, valueSize: 110, blockSize: 1_024, tables: []byte{3, 35, 0, 3, 42, 0, 3, 49, 0}},
	"last of one, v2":          {flags: randomBit | engineBit, valueSize: 110, blockSize: 1_024, tables: []byte{3, 36, 0, 3, 30, 0, 3, 24, 0}},
	"blocks of one record":     {valueSize: 900, blockSize: 64, tables: []byte{0, 20, 0, 3, 40, 0}},
	"of one, random":           {flags: engineBit | randomBit, valueSize: 5_000, blockSize: 4_096, tables: []byte{2, 50, 0, 3, 9, 0}},
	"partitions of one entry":  {valueSize: 200, blockSize: 512, indexBlockSize: 64, tables: []byte{3, 200, 0, 3, 1, 0}},
	"of one entry, v2":         {flags: engineBit | randomBit, valueSize: 200, blockSize: 512, indexBlockSize: 64, tables: []byte{3, 200, 0, 3, 1, 0}},
	"partitions of two":        {flags: randomBit, valueSize: 200, blockSize: 512, indexBlockSize: 90, tables: []byte{2, 200, 0, 3, 90, 1}},
	"every key in a row":       {valueSize: 20, blockSize: 300, indexBlockSize: 200, width: 1, tables: []byte{2, 0, 1, 3, 0, 1, 3, 255, 0}},
	"in a row, v2":             {flags: engineBit, valueSize: 20, blockSize: 300, indexBlockSize: 200, first: math.MaxUint64 - 600, width: 1, tables: []byte{2, 0, 1, 3, 0, 1, 3, 255, 0}},
	"restarts at every record": {interval: 1, valueSize: 100, blockSize: 2_000, tables: []byte{2, 100, 0, 3, 100, 1}},
	"restarts at every third":  {flags: engineBit | randomBit, interval: 3, valueSize: 30, blockSize: 700, indexBlockSize: 300, tables: []byte{0, 100, 0, 1, 100, 0, 3, 100, 1}},
	"ends of the key space":    {flags: plainBit, first: math.MaxUint64 - 1<<40, width: 1 << 40, valueSize: 50, blockSize: 700, tables: []byte{3, 0, 2}},
}

// FuzzBlockBorders builds real and virtual trees. It compares every table, every data block by
// itself and lookups around every block border with the library's results and with a list of
// the tree's keys.
func FuzzBlockBorders(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		b := seeds[name]
		f.Add(b.flags, b.valueSize, b.blockSize, b.indexBlockSize, b.interval, b.first, b.width, b.tables, b.seed)
	}
	f.Fuzz(func(t *testing.T, flags uint8, valueSize, blockSize, indexBlockSize uint16, interval uint8, first, width uint64, tables []byte, seed uint64) {
		borders{flags, valueSize, blockSize, indexBlockSize, interval, first, width, tables, seed}.hold(t)
	})
}

// TestSeedsHaveTheEdges checks that the seeds cover all the edge cases.
func TestSeedsHaveTheEdges(t *testing.T) {
	var seen edges
	for _, b := range seeds {
		p := b.planned(t)
		for i := range p.tree.Tables {
			truth := p.model(t, i)
			layout := layoutOf(t, truth)
			var blocks [][][]byte
			for _, h := range layout.Data {
				blocks = append(blocks, entryKeys(t, truth[h.Offset:h.Offset+h.Length+block.TrailerLen]))
			}
			seen.table(t, truth, b.restarts(), layout, blocks)
		}
		seen.levels(p.tree.Tables)
	}
	assert.Empty(t, seen.missing())
}

// hold builds the tree, real and virtual, and checks all its tables.
func (b borders) hold(t *testing.T) {
	p := b.planned(t)
	if p == nil {
		return
	}
	real, made := p.job(t, false), p.job(t, true)
	_, err := real.WriteTables(nil)
	require.NoError(t, err)
	tables, err := made.WriteTables(real)
	require.NoError(t, err)
	defer tables.Close()
	for i, table := range p.tree.Tables {
		truth := p.model(t, i)
		written, err := os.ReadFile(real.Path(i))
		require.NoError(t, err)
		assert.Equal(t, truth, written, "table %d of %d records differs from the library's", i, table.Keys)
		v, err := tables.Table(made.Path(i), table.File)
		require.NoError(t, err)
		(&bordered{planned: p, number: i, truth: truth, table: v}).hold(t)
	}
}

// planned is a tree to build.
type planned struct {
	engine engine.Builder
	cfg    engine.Config
	tree   *dataset.Tree
	values *dataset.Values
	seed   uint64
}

// planned returns the tree to build, or nil if it has no tables.
func (b borders) planned(t *testing.T) *planned {
	t.Helper()
	list := b.list()
	if len(list) == 0 {
		return nil
	}
	p := &planned{engine: builders[b.flags&engineBit], seed: b.seed}
	for i := range list {
		list[i].File = p.engine.FirstTable() + uint64(i)
	}
	kind := dataset.ValuesPool32
	if b.flags&randomBit != 0 {
		kind = dataset.ValuesRandom
	}
	var err error
	p.tree, err = dataset.NewTree(list)
	require.NoError(t, err)
	p.cfg, err = p.engine.Configure("", b.options())
	require.NoError(t, err)
	p.values, err = dataset.NewValues(kind, b.size(), b.seed)
	require.NoError(t, err)
	return p
}

func (p *planned) job(t *testing.T, isVirtual bool) *treewriter.Job {
	return &treewriter.Job{
		Engine: p.engine, Config: p.cfg, DB: t.TempDir(), Tree: p.tree, Values: p.values, Seed: p.seed,
		Virtual: isVirtual, Workers: 2, Checkpoint: func(int) error { return nil },
	}
}

// model returns table i of the tree as written by the library.
func (p *planned) model(t *testing.T, i int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.sst")
	w, err := p.engine.NewTable(path, p.cfg, p.tree.Tables[i].Level)
	require.NoError(t, err)
	cursor := p.tree.Cursor(p.seed, i, 0)
	var key [dataset.KeySize]byte
	for range p.tree.Tables[i].Keys {
		index, seq := cursor.Next(&key)
		require.NoError(t, w.Set(key[:], seq, p.values.Value(index, nil)))
	}
	require.NoError(t, w.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

func (b borders) size() int     { return 1 + int(b.valueSize)%6_000 }
func (b borders) restarts() int { return 1 + (int(b.interval)+15)%40 }

func (b borders) options() []string {
	options := []string{
		"format=13",
		fmt.Sprintf("block_size=%d", max(64, b.blockSize)),
		fmt.Sprintf("index_block_size=%d", max(64, b.indexBlockSize)),
		fmt.Sprintf("block_restart_interval=%d", b.restarts()),
	}
	if b.flags&plainBit != 0 {
		options = append(options, "compression=none")
	}
	return options
}

// Trees are small, so that the fuzzer tries many.
const (
	maxTables     = 6
	maxTableKeys  = 1_000
	maxTableBytes = 1 << 19
)

// list returns the tables in tree order. The tables of a level, or of a sublevel of L0, lie
// side by side from the first prefix on, as far as there is room.
func (b borders) list() (list []dataset.Table) {
	runs := []dataset.Table{{}, {Sublevel: 1}, {Level: 5}, {Level: 6}}
	for run, table := range runs {
		next := b.first
		for i := 0; i+3 <= min(len(b.tables), 3*maxTables); i += 3 {
			if int(b.tables[i])%len(runs) != run {
				continue
			}
			keys := 1 + (uint64(b.tables[i+1])|uint64(b.tables[i+2])<<8)%maxTableKeys
			keys = min(keys, 1+maxTableBytes/uint64(b.size()+43))
			width := max(keys, b.width)
			if b.width == 0 {
				width = 1 << 61
			}
			if next > math.MaxUint64-width {
				break
			}
			table.First, table.Last, table.Keys = dataset.Prefix(next), dataset.Prefix(next+width), keys
			next += width
			list = append(list, table)
		}
	}
	return list
}
