package gethstate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/dbtest"
	gethpebble "github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/statedb/adapter"
	"getio/workload/dataset"
)

func openedKeyValues(t *testing.T, sorts bool) *keyValues {
	t.Helper()
	s, err := openKeyValues(t.Context(), t.TempDir(), sorts)
	require.NoError(t, err)
	return s
}

// TestKeyValueStore runs go-ethereum's own tests of a key-value store.
func TestKeyValueStore(t *testing.T) {
	for _, sorts := range []bool{false, true} {
		dbtest.TestDatabaseSuite(t, func() ethdb.KeyValueStore { return openedKeyValues(t, sorts) })
	}
}

// TestOptionsAreGeths: go-ethereum and getio open a store with the same options, as Pebble writes them
// down. Only the number of compactions at a time differs.
func TestOptionsAreGeths(t *testing.T) {
	geths := t.TempDir()
	kv, err := gethpebble.New(geths, storeCache, storeHandles, "", false)
	require.NoError(t, err)
	require.NoError(t, kv.Close())
	ours := t.TempDir()
	s, err := openKeyValues(t.Context(), ours, false)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	assert.Equal(t, optionsIn(t, geths), optionsIn(t, ours))
}

var concurrency = regexp.MustCompile(`(?m)^ *(max_)?concurrent_compactions=.*\n`)

func optionsIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return concurrency.ReplaceAllString(string(text), "")
}

// TestPausesEndFlushesAndCompactions: after a pause, a store has nothing to do.
func TestPausesEndFlushesAndCompactions(t *testing.T) {
	s := openedKeyValues(t, false)
	defer s.Close()
	b := s.NewBatch()
	for i := range 2 * pauseEvery / 1000 {
		require.NoError(t, b.Put([]byte{byte(i >> 8), byte(i)}, bytes.Repeat([]byte{byte(i)}, 1000)))
	}
	require.NoError(t, b.Write())
	m := s.db.Metrics()
	assert.Positive(t, m.Flush.Count)
	assert.Zero(t, m.Flush.NumInProgress)
	assert.Zero(t, m.Compact.NumInProgress)
	require.NoError(t, s.finish(t.Context(), func(engine.SettleProgress) {}))
	assert.EqualValues(t, 1, s.db.Metrics().MemTable.Count, "the memtable that takes what comes next")
}

// TestMemtablesAreNotFilled: Pebble flushes no memtable by itself, after the first ones, which are smaller. Entries are
// small, so that most of a memtable is what they take besides keys and values.
func TestMemtablesAreNotFilled(t *testing.T) {
	s := openedKeyValues(t, false)
	defer s.Close()
	flushes := 0
	flush := s.pace.flush
	s.pace.flush = func() error { flushes++; return flush() }
	s.pace.settle = func() error { return nil }
	var before int64
	random := rand.New(rand.NewPCG(1, 2))
	for written := 0; flushes < 4; {
		b := s.NewBatch()
		for b.ValueSize() < ethdb.IdealBatchSize {
			key := binary.BigEndian.AppendUint64(nil, random.Uint64())
			require.NoError(t, b.Put(key, key))
		}
		require.NoError(t, b.Write())
		if written += b.ValueSize(); flushes == 1 && before == 0 {
			before = s.db.Metrics().Flush.Count
		}
		require.Less(t, written, 5*memtable)
	}
	assert.EqualValues(t, before+3, s.db.Metrics().Flush.Count)
}

// TestFailuresEndPauses: a flush that fails ends the wait for it.
func TestFailuresEndPauses(t *testing.T) {
	s := openedKeyValues(t, false)
	defer s.Close()
	s.failures.Fail(os.ErrPermission)
	require.ErrorIs(t, s.settle(t.Context(), nil), os.ErrPermission)
}

// TestBatchesAreSorted: changes are written in the order of their keys, and of one key in their own. A
// batch that removes a range keeps its order.
func TestBatchesAreSorted(t *testing.T) {
	s := openedKeyValues(t, true)
	defer s.Close()
	b := s.NewBatch().(*batch)
	for _, key := range []string{"c", "a", "b", "a"} {
		require.NoError(t, b.Put([]byte(key), []byte{byte(b.ValueSize())}))
	}
	require.NoError(t, b.Delete([]byte("b")))
	requireOrder(t, b, "aabbc")
	require.NoError(t, b.DeleteRange([]byte("a"), nil))
	requireOrder(t, b, "cababa")
}

func requireOrder(t *testing.T, b *batch, want string) {
	t.Helper()
	sorted, err := b.sorted()
	require.NoError(t, err)
	defer sorted.Close()
	list, err := (&batch{changes: sorted}).list()
	require.NoError(t, err)
	keys, last := "", change{}
	for _, c := range list {
		keys += string(c.key)
		if bytes.Equal(last.key, c.key) && last.kind == pebble.InternalKeyKindSet && c.kind == last.kind {
			assert.Less(t, last.value[0], c.value[0])
		}
		last = c
	}
	assert.Equal(t, want, keys)
}

// TestPathSchemeRepeats: two loads of the same accounts make the same tables.
func TestPathSchemeRepeats(t *testing.T) {
	values, err := dataset.NewValues(dataset.ValuesAccounts, dataset.AccountSize, 1)
	require.NoError(t, err)
	keys, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, 500, 1)
	require.NoError(t, err)
	var tables [2][]string
	for i := range tables {
		dir := t.TempDir()
		w, err := newWriter(t.Context(), dir, rawdb.PathScheme, types.EmptyRootHash)
		require.NoError(t, err)
		for n := range uint64(500) {
			var key [dataset.KeySize]byte
			keys.Key(n, &key)
			w.load([]adapter.Record{{Key: key[:], Value: values.Value(n, nil)}})
		}
		_, err = w.commit()
		require.NoError(t, err)
		require.NoError(t, w.close(t.Context(), nil))
		files, err := filepath.Glob(filepath.Join(dir, "*.sst"))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			tables[i] = append(tables[i], string(text))
		}
	}
	require.NotEmpty(t, tables[0])
	assert.True(t, assert.ObjectsAreEqual(tables[0], tables[1]), "the tables of two loads differ")
}
