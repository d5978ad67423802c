package ldbfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"getio/engine/blockformat"
	"getio/internal/enginetest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/syndtr/goleveldb/leveldb/util"
)

// smallTree makes a tree of some thousand keys have several levels.
func smallTree() *opt.Options {
	return &opt.Options{
		BlockSize: 512, WriteBuffer: 64 << 10, CompactionTableSize: 32 << 10, CompactionTotalSize: 32 << 10,
		CompactionTotalSizeMultiplierPerLevel: []float64{1, 1, 4, 16, 64, 256, 1024},
		Filter:                                filter.NewBloomFilter(10),
	}
}

// written is a database as the library writes it, and what was written.
type written struct {
	dir  string
	keys map[string]bool // true: it is there; false: it was deleted
}

// write makes a database of n keys, every tenth of which is deleted again. Half of
// them are compacted, the others may be.
func write(t testing.TB, o *opt.Options, n int) *written {
	t.Helper()
	w := &written{dir: filepath.Join(t.TempDir(), "db"), keys: map[string]bool{}}
	db, err := leveldb.OpenFile(w.dir, o)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		key := fmt.Appendf(nil, "%016x", r.Uint64())
		require.NoError(t, db.Put(key, bytes.Repeat([]byte{byte(i)}, int(r.Uint32()%100)), nil))
		w.keys[string(key)] = true
		if i%10 == 9 {
			require.NoError(t, db.Delete(key, nil))
			w.keys[string(key)] = false
		}
		if i == n/2 {
			require.NoError(t, db.CompactRange(util.Range{}))
		}
	}
	tr, err := db.OpenTransaction() // flushes
	require.NoError(t, err)
	tr.Discard()
	require.NoError(t, db.Close())
	return w
}

// manifest reads the database's MANIFEST, with the paths of its tables.
func (w *written) manifest(t testing.TB) *Manifest {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(w.dir, "MANIFEST-*"))
	require.NoError(t, err)
	m, err := ReadManifest(paths[len(paths)-1])
	require.NoError(t, err)
	for i := range m.Tables {
		m.Tables[i].Path = filepath.Join(w.dir, storage.FileDesc{Type: storage.TypeTable, Num: int64(m.Tables[i].File)}.String())
	}
	return m
}

func (w *written) catalog(t testing.TB) *Catalog {
	t.Helper()
	c, err := ReadCatalog(t.Context(), w.manifest(t).Tables, GoFilters)
	require.NoError(t, err)
	return c
}

// The tree is the one that the library itself lists, table by table.
func TestManifestMatchesLibrary(t *testing.T) {
	w := write(t, smallTree(), 5000)
	m := w.manifest(t)
	db, err := leveldb.OpenFile(w.dir, &opt.Options{ReadOnly: true})
	require.NoError(t, err)
	defer db.Close()
	var stats leveldb.DBStats
	require.NoError(t, db.Stats(&stats))
	counts, sizes := make([]int, len(stats.LevelSizes)), make(leveldb.Sizes, len(stats.LevelSizes))
	for _, ref := range m.Tables {
		counts[ref.Level]++
		sizes[ref.Level] += ref.Size
	}
	if !slices.Equal(counts, stats.LevelTablesCounts) || !slices.Equal(sizes, stats.LevelSizes) || len(counts) < 2 {
		t.Errorf("%v tables of %v bytes, and the library has %v of %v", counts, sizes, stats.LevelTablesCounts, stats.LevelSizes)
	}
	if m.Comparer != Comparer || m.Log == 0 {
		t.Errorf("%+v", m)
	}
	// sstables lists number, size and, shortened, bounds of every table.
	text, err := db.GetProperty("leveldb.sstables")
	require.NoError(t, err)
	for _, ref := range m.Tables {
		assert.Contains(t, text, fmt.Sprintf("%d:%d[", ref.File, ref.Size))
	}
}

// An open rewrites the MANIFEST as one record; compactions append to it.
func TestManifestOfManyChanges(t *testing.T) {
	w := write(t, smallTree(), 3000)
	before := len(w.manifest(t).Tables)
	for range 3 {
		db, err := leveldb.OpenFile(w.dir, smallTree())
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
	if after := w.manifest(t).Tables; len(after) == 0 || len(after) > before {
		t.Errorf("%d tables became %d", before, len(after))
	}
	w.catalog(t)
}

func TestUnreadableManifests(t *testing.T) {
	w := write(t, smallTree(), 2000)
	paths, err := filepath.Glob(filepath.Join(w.dir, "MANIFEST-*"))
	require.NoError(t, err)
	whole, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"empty":        nil,
		"cut short":    whole[:len(whole)-3],
		"a byte wrong": slices.Replace(slices.Clone(whole), len(whole)/2, len(whole)/2+1, whole[len(whole)/2]^1),
		"zeros":        make([]byte, 1000),
		"rubbish":      bytes.Repeat([]byte("rubbish "), 100),
	} {
		path := filepath.Join(t.TempDir(), "MANIFEST-000001")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		if m, err := ReadManifest(path); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestInvalidManifestRecords(t *testing.T) {
	for name, record := range map[string][]byte{
		"unknown field":       {103, 1},
		"field of Pebble":     {8, 1, 1},
		"level 7":             {tagDeleted, 7, 1},
		"short key":           {tagAdded, 0, 1, 10, 3, 'a', 'b', 'c', 3, 'a', 'b', 'c'},
		"ends early":          {tagAdded, 0, 1, 10, 200},
		"keys out of order":   append(append([]byte{tagAdded, 0, 1, 10}, internal("b")...), internal("a")...),
		"a number not whole":  {tagLog, 0x80},
		"comparer not whole":  {tagComparer, 5, 'a'},
		"pointer without key": {tagCompactFrom, 1},
	} {
		m := newTree()
		if err := m.apply(record); err == nil || len(m.tables) != 0 {
			t.Errorf("%s: %v, %+v", name, err, m)
		}
	}
}

// internal encodes an internal key with its length.
func internal(key string) []byte {
	b := append([]byte{byte(len(key) + blockformat.KeyTrailerLen)}, key...)
	return append(b, kindSet, 0, 0, 0, 0, 0, 0, 0)
}

func TestRecordRemovesTablesBeforeAdding(t *testing.T) {
	add := func(level byte) []byte {
		return append(append([]byte{tagAdded, level, 5, 10}, internal("a")...), internal("b")...)
	}
	m := newTree()
	require.NoError(t, m.apply(add(0)))
	require.NoError(t, m.apply(append(add(1), tagDeleted, 0, 5)))
	require.NoError(t, m.apply(append(add(1), tagDeleted, 1, 5))) // written anew in its place
	if len(m.tables) != 1 || m.tables[place{1, 5}].Level != 1 {
		t.Errorf("%+v", m.tables)
	}
}

func TestSamplerIsUniform(t *testing.T) {
	w := write(t, smallTree(), 2000)
	s, err := w.catalog(t).Sampler(nil)
	require.NoError(t, err)
	defer s.Close()
	const each = 100
	drawn := map[string]int{}
	for _, key := range enginetest.Draw(t, s, 3, each*2000) {
		drawn[string(key)]++
	}
	var deviation float64
	live := 0
	for key, there := range w.keys {
		if n := drawn[key]; there {
			live++
			deviation += (float64(n) - each) * (float64(n) - each) / each
		}
		delete(drawn, key)
	}
	assert.Empty(t, drawn)
	// Keys that were deleted may have an older record that sets them; they take
	// part of the draws, at most a tenth.
	if deviation /= float64(live); deviation > 3 {
		t.Errorf("%d keys were drawn with a chi square of %.2f each", live, deviation)
	}
}

// A database of a table after another, each of which is read anew, is sampled as
// one that is remembered.
func TestSamplerWithoutCacheDrawsTheSame(t *testing.T) {
	w := write(t, smallTree(), 2000)
	remembers, err := w.catalog(t).Sampler(nil)
	require.NoError(t, err)
	defer remembers.Close()
	forgets, err := w.catalog(t).SamplerWithin(0, nil)
	require.NoError(t, err)
	require.Equal(t, enginetest.Draw(t, remembers, 5, 500), enginetest.Draw(t, forgets, 5, 500))
	require.NoError(t, forgets.Close())
}

func TestL0SublevelsFollowTableNumbers(t *testing.T) {
	o := smallTree()
	o.CompactionL0Trigger = 100
	o.WriteL0SlowdownTrigger, o.WriteL0PauseTrigger = 1000, 1000
	c := write(t, o, 8000).catalog(t)
	l0 := c.Shape().Levels[0]
	if l0.Level != 0 || l0.Tables < 3 || int64(l0.Sublevels) != l0.Tables {
		t.Fatalf("%+v", l0)
	}
	for i, table := range l0.TableList {
		if table.Sublevel != i || i > 0 && table.File < l0.TableList[i-1].File {
			t.Errorf("table %d of L0 has number %d and sublevel %d", i, table.File, table.Sublevel)
		}
	}
}

// Unknown compressions are named by their number, and by what the client that has them calls them.
func TestUnknownCompressions(t *testing.T) {
	for kind, want := range map[byte]string{2: "2 (kZstdCompression of C++ LevelDB), which goleveldb does not read", 7: "7, which LevelDB does not have"} {
		_, err := unpack(blockformat.AppendTrailer([]byte("block"), 0, kind))
		assert.EqualError(t, err, "has compression "+want)
	}
}
