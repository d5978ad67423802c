package gethstate

import (
	"bytes"
	"math/rand/v2"
	"reflect"
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

// keeper keeps the changes of all batches that are written to it, in their order.
type keeper struct {
	ethdb.KeyValueStore
	written []change
}

type keptBatch struct {
	ethdb.Batch
	in *keeper
}

func newKeeper() *keeper { return &keeper{KeyValueStore: memorydb.New()} }

func (k *keeper) NewBatch() ethdb.Batch { return k.NewBatchWithSize(0) }

func (k *keeper) NewBatchWithSize(size int) ethdb.Batch {
	return &keptBatch{k.KeyValueStore.NewBatchWithSize(size), k}
}

func (b *keptBatch) Write() error {
	var all changes
	if err := b.Replay(&all); err != nil {
		return err
	}
	for _, c := range all.list {
		b.in.written = append(b.in.written, change{bytes.Clone(c.key), bytes.Clone(c.value), c.removed})
	}
	return b.Batch.Write()
}

// TestWriteInOrder: changes are written in the order of their keys, the last one of a key last.
func TestWriteInOrder(t *testing.T) {
	want, store := memorydb.New(), newKeeper()
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
	require.Len(t, store.written, 2000)
	for i, c := range store.written[1:] {
		assert.GreaterOrEqual(t, c.key[0], store.written[i].key[0])
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

// TestPathSchemeRepeats: two loads of the same accounts write the same changes in the same order.
func TestPathSchemeRepeats(t *testing.T) {
	values, err := dataset.NewValues(dataset.ValuesAccounts, dataset.AccountSize, 1)
	require.NoError(t, err)
	keys, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, 500, 1)
	require.NoError(t, err)
	var loads [2]*keeper
	for i := range loads {
		loads[i] = newKeeper()
		w := writerOn(t.Context(), loads[i], rawdb.PathScheme, types.EmptyRootHash)
		for n := range uint64(500) {
			var key [dataset.KeySize]byte
			keys.Key(n, &key)
			w.load([]adapter.Record{{Key: key[:], Value: values.Value(n, nil)}})
		}
		_, err = w.commit()
		require.NoError(t, err)
		require.NoError(t, w.close())
	}
	require.Greater(t, len(loads[0].written), 1000, "accounts and nodes of the trie")
	assert.True(t, reflect.DeepEqual(loads[0].written, loads[1].written), "the order of changes")
}
