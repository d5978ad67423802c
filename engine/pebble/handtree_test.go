package pebble_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/internal/enginetest"
)

// handTree is a tree of tables written one by one, over several levels, with several
// versions of most keys.
type handTree struct {
	builderSuite
	cfg    engine.Config
	dir    string
	tables []engine.BuiltTable
	newest map[string][]byte
}

const handKeys = 8_000

// handTree writes the tables. Each test installs a copy of them.
func (s builderSuite) handTree(t *testing.T, cfg engine.Config) *handTree {
	t.Helper()
	h := &handTree{builderSuite: s, cfg: cfg, dir: filepath.Join(t.TempDir(), "db"), newest: map[string][]byte{}}
	require.NoError(t, os.Mkdir(h.dir, 0o755))
	for i := range 8 {
		h.table(t, 6, i*1_000, (i+1)*1_000, 1, 0)
	}
	for i := range 4 {
		h.table(t, 5, i*2_000, (i+1)*2_000, 3, 10_000+10_000*uint64(i))
	}
	h.table(t, 2, 0, 3_000, 7, 50_000)
	h.table(t, 2, 5_000, 8_000, 7, 60_000)
	h.table(t, 0, 0, 4_000, 11, 70_000)
	h.table(t, 0, 4_000, 8_000, 11, 80_000)
	h.table(t, 0, 2_000, 6_000, 13, 90_000) // on top of both
	return h
}

func handKey(i int) []byte { return fmt.Appendf(nil, "key %06d", i) }

// table adds a table of every step-th key of a range, with sequence numbers from seq. If
// seq is 0, all records have 0, as compactions leave them in the last level. File numbers
// descend, so that nothing can rely on their order.
func (h *handTree) table(t *testing.T, level, from, to, step int, seq uint64) {
	t.Helper()
	built := engine.BuiltTable{Level: level, File: h.Engine.FirstTable() + 100 - uint64(len(h.tables))}
	path := h.Engine.TablePath(h.dir, built.File)
	w, err := h.Engine.NewTable(path, h.cfg, level)
	require.NoError(t, err)
	at := seq
	for i := from; i < to; i += step {
		key := handKey(i)
		value := fmt.Appendf(bytes.Repeat([]byte{'v'}, i%200), " of L%d from %d", level, seq)
		require.NoError(t, w.Set(key, at, value))
		h.newest[string(key)] = value
		built.Largest = engine.BuiltKey{Key: key, Seq: at}
		if i == from {
			built.Smallest = built.Largest
		}
		if seq > 0 {
			at++
		}
	}
	require.NoError(t, w.Close())
	built.Size = size(t, path)
	built.SmallestSeq, built.LargestSeq = seq, built.Largest.Seq
	h.tables = append(h.tables, built)
}

// copied returns the same tables in a directory of their own, not installed.
func (h *handTree) copied(t *testing.T) *handTree {
	t.Helper()
	c := *h
	c.dir, c.newest = enginetest.CopyOf(t, h.dir), maps.Clone(h.newest)
	return &c
}

func (h *handTree) install(t *testing.T) {
	t.Helper()
	require.NoError(t, h.Engine.Install(h.dir, h.cfg, h.tables))
}

// verify checks the tree's shape and the newest value of every key.
func (h *handTree) verify(t *testing.T) {
	t.Helper()
	var want, got [7]int
	for _, table := range h.tables {
		want[table.Level]++
	}
	for _, l := range h.shape(t, h.dir, h.cfg).Levels {
		got[l.Level] = int(l.Tables)
		if l.Level == 0 && l.Sublevels != 2 {
			t.Errorf("L0 has %d sublevels, want 2", l.Sublevels)
		}
	}
	assert.Equal(t, want, got)
	h.verifyValues(t)
}

func (h *handTree) verifyValues(t *testing.T) {
	t.Helper()
	store, err := h.Engine.OpenStore(context.Background(), h.dir, h.cfg)
	require.NoError(t, err)
	defer store.Close()
	assert.Zero(t, store.Info().WALKeys)
	db, err := store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	defer db.Close()
	for key, want := range h.newest {
		got, found, err := db.Get([]byte(key), nil)
		require.NoError(t, err)
		if !found || !bytes.Equal(got, want) {
			t.Fatalf("%q: found %v, %q, want %q", key, found, got, want)
		}
	}
	_, found, err := db.Get([]byte("key 000000 absent"), nil)
	require.NoError(t, err)
	assert.False(t, found)
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return fi.Size()
}
