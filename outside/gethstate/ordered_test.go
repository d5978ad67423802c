package gethstate

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/dataset"
	"getio/outside/adapter"
)

// keeper keeps the last batch that it made.
type keeper struct {
	ethdb.KeyValueStore
	last ethdb.Batch
}

func (k *keeper) NewBatchWithSize(size int) ethdb.Batch {
	k.last = k.KeyValueStore.NewBatchWithSize(size)
	return k.last
}

// TestWriteInOrder: changes are written in the order of their keys, the last one of a key last.
func TestWriteInOrder(t *testing.T) {
	want, store := memorydb.New(), &keeper{KeyValueStore: memorydb.New()}
	all, some := want.NewBatch(), store.NewBatch()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		key, value := []byte{byte(r.IntN(200)), 1}, []byte{byte(r.IntN(256))}
		for _, b := range []ethdb.Batch{all, some} {
			if value[0]%4 == 0 {
				require.NoError(t, b.Delete(key))
			} else {
				require.NoError(t, b.Put(key, value))
			}
		}
	}
	require.NoError(t, all.Write())
	require.NoError(t, writeInOrder(some, store))
	assert.Equal(t, content(t, want), content(t, store))
	var written changes
	require.NoError(t, store.last.Replay(&written))
	require.Len(t, written.list, 2000)
	for i, c := range written.list[1:] {
		assert.GreaterOrEqual(t, c.key[0], written.list[i].key[0])
	}
}

func content(t *testing.T, store ethdb.KeyValueStore) map[string]string {
	t.Helper()
	found := map[string]string{}
	i := store.NewIterator(nil, nil)
	defer i.Release()
	for i.Next() {
		found[string(i.Key())] = string(i.Value())
	}
	require.NoError(t, i.Error())
	return found
}

// TestRangesKeepTheirPlace: a batch that removes a range is written as it is.
func TestRangesKeepTheirPlace(t *testing.T) {
	store := memorydb.New()
	batch := store.NewBatch()
	require.NoError(t, batch.Put([]byte("b"), []byte("removed")))
	require.NoError(t, batch.DeleteRange([]byte("a"), []byte("z")))
	require.NoError(t, batch.Put([]byte("c"), []byte("stays")))
	require.NoError(t, writeInOrder(batch, store))
	assert.Equal(t, map[string]string{"c": "stays"}, content(t, store))
}

// TestPathSchemeRepeats: two loads of the same accounts write the same log, to the byte.
func TestPathSchemeRepeats(t *testing.T) {
	values, err := dataset.NewValues(dataset.ValuesAccounts, dataset.AccountSize, 1)
	require.NoError(t, err)
	keys, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, 500, 1)
	require.NoError(t, err)
	var logs [2][][]byte
	for i := range logs {
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
		require.NoError(t, w.close())
		files, err := filepath.Glob(filepath.Join(dir, "*.log"))
		require.NoError(t, err)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			logs[i] = append(logs[i], text)
		}
	}
	require.NotEmpty(t, slices.Concat(logs[0]...))
	assert.True(t, slices.EqualFunc(logs[0], logs[1], bytes.Equal))
}
