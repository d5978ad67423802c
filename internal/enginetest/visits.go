package enginetest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
)

// Tree is a database with tables in L0, which hold the last keys written, and in several
// levels below.
type Tree struct {
	Engine engine.Engine
	Dir    string
	Config engine.Config
	Keys   [][]byte
}

// Grow makes a tree with the given options. l0Options, which hold compactions of L0 back,
// apply to the last keys only.
func Grow(t *testing.T, e engine.Engine, options, l0Options []string) *Tree {
	t.Helper()
	cfg, err := e.Configure("", options)
	require.NoError(t, err)
	uncompacted, err := e.Configure("", slices.Concat(options, l0Options))
	require.NoError(t, err)
	tree := &Tree{Engine: e, Dir: filepath.Join(t.TempDir(), "db"), Config: cfg}
	r := rand.New(rand.NewPCG(7, 7))
	write := func(l engine.Loader, n int) {
		for range n {
			key := randomKey(r)
			tree.Keys = append(tree.Keys, key)
			require.NoError(t, l.Set(key, bytes.Repeat([]byte{1}, int(r.Uint32()%80))))
		}
		require.NoError(t, l.Settle(context.Background(), nil))
		require.NoError(t, l.Close())
	}
	l, err := e.Create(tree.Dir, cfg)
	require.NoError(t, err)
	write(l, 20_000)
	l, err = e.Resume(tree.Dir, uncompacted)
	require.NoError(t, err)
	write(l, 5_000)
	return tree
}

func randomKey(r *rand.Rand) []byte {
	key := make([]byte, 16)
	for i := range key {
		key[i] = byte(r.Uint32())
	}
	return key
}

// Key draws a key of the tree or, if existing is false, an absent key.
func (tree *Tree) Key(r *rand.Rand, existing bool) []byte {
	if existing {
		return tree.Keys[r.IntN(len(tree.Keys))]
	}
	return randomKey(r)
}

// Store opens the tree until the test ends.
func (tree *Tree) Store(t testing.TB) engine.Store {
	t.Helper()
	s, err := tree.Engine.OpenStore(context.Background(), tree.Dir, tree.Config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// visit is what one Get reads of one table.
type visit struct {
	file  uint64
	reads [readpath.NumComponents]int
}

// RequireVisits makes Gets one at a time, without a cache, for existing and absent keys.
// Every access must be a read. The tables read must be those that the shape says may hold
// the key, in the order of a Get, down to the table that has it. Of each table, a Get reads
// the filter and, unless that rules the key out, one top index, index and data blocks.
//
// If indexFirst, as in LevelDB, it reads the top index of every table before the filter,
// and visits all tables of L0 even when one of them has the key.
func (tree *Tree) RequireVisits(t *testing.T, indexFirst bool) {
	store := tree.Store(t)
	shape := store.Shape()
	if len(shape.Levels) < 3 || shape.Levels[0].Level != 0 {
		t.Fatalf("the tree has %d levels from L%d on", len(shape.Levels), shape.Levels[0].Level)
	}
	var visits []visit
	db, err := store.Open(engine.OpenConfig{Trace: func(r engine.TableRead) {
		if len(visits) == 0 || visits[len(visits)-1].file != r.File {
			visits = append(visits, visit{file: r.File})
		}
		visits[len(visits)-1].reads[r.Component]++
	}})
	require.NoError(t, err)
	defer db.Close()
	for _, level := range shape.Levels { // open every table
		for _, table := range level.TableList {
			_, _, err := db.Get(table.Smallest, nil)
			require.NoError(t, err)
		}
	}
	r := rand.New(rand.NewPCG(8, 8))
	for i := range 3000 {
		existing := i%3 != 0
		key := tree.Key(r, existing)
		visits = nil
		run := Measured(t, db, func() {
			if _, found, err := db.Get(key, nil); err != nil || found != existing {
				t.Fatalf("Get %d: found %v, error %v", i, found, err)
			}
		})
		requireVisits(t, shape, key, existing, visits, run, indexFirst)
	}
}

func requireVisits(t *testing.T, shape *lsm.Shape, key []byte, found bool, visits []visit, run engine.Counts, indexFirst bool) {
	t.Helper()
	files, l0 := holders(shape, key)
	n, least := len(visits), 0
	if indexFirst {
		least = l0
	}
	if n > len(files) || n < least || !found && n != len(files) {
		t.Fatalf("key %x: %d tables visited of %v, %d of them in L0", key, n, files, l0)
	}
	var sum readpath.PerComponent
	probes := int64(0)
	for i, v := range visits {
		require.Equal(t, files[i], v.file, "key %x: tables %v visited, of %v", key, visits, files)
		probed := v.reads[readpath.Data] > 0
		if probed {
			probes++
		}
		indexed := 0
		if probed || indexFirst {
			indexed = 1
		}
		last := found && i == n-1 && (!indexFirst || n > l0)
		if v.reads[readpath.TopIndex] != indexed || last && !probed {
			t.Fatalf("key %x: table %d: %v", key, v.file, v.reads)
		}
		for c, reads := range v.reads {
			sum[c] += int64(reads)
		}
	}
	if run.Accesses.Count != sum || run.Reads.Count != sum || run.BlockCacheHits != 0 {
		t.Fatalf("key %x: %v accesses, %v reads, %v traced", key, run.Accesses.Count, run.Reads.Count, sum)
	}
	if indexFirst && (run.Accesses.Probed != probes || run.TableCacheHits+run.TableCacheMisses != int64(n)) {
		t.Fatalf("key %x: %d tables probed, data read of %d", key, run.Accesses.Probed, probes)
	}
}

// holders returns the tables that may hold the key, in the order in which a Get visits
// them: in L0 all, the newest first, then one per level (goleveldb: leveldb/version.go,
// walkOverlapping). l0 is how many of them are in L0, where a shape lists the oldest first.
func holders(shape *lsm.Shape, key []byte) (files []uint64, l0 int) {
	for _, level := range shape.Levels {
		list := level.TableList
		for i := range list {
			table := list[i]
			if level.Level == 0 {
				table = list[len(list)-1-i]
			}
			if bytes.Compare(table.Smallest, key) <= 0 && bytes.Compare(key, table.Largest) <= 0 {
				files = append(files, table.File)
			}
		}
		if level.Level == 0 {
			l0 = len(files)
		}
	}
	return files, l0
}
