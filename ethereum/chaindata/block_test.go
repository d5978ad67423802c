package chaindata

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
)

// TestBlockOf covers every entry that go-ethereum writes for a block.
func TestBlockOf(t *testing.T) {
	const number = 70_000
	db := rawdb.NewMemoryDatabase()
	hash := common.Hash{7}
	header := &types.Header{Number: new(big.Int).SetUint64(number)}
	rawdb.WriteHeader(db, header)
	rawdb.WriteBody(db, hash, number, &types.Body{})
	rawdb.WriteReceipts(db, hash, number, nil)
	rawdb.WriteCanonicalHash(db, hash, number)
	rawdb.WriteTxLookupEntries(db, number, []common.Hash{{1}, {2}})
	entries := 0
	it := db.NewIterator(nil, nil)
	defer it.Release()
	for ; it.Next(); entries++ {
		if got, ok := BlockOf(it.Key(), it.Value()); !ok || got != number {
			t.Errorf("%x: block %d (%v), want %d", it.Key(), got, ok, number)
		}
	}
	if entries != 7 {
		t.Errorf("%d entries were written, want 7", entries)
	}
	for _, key := range []string{"LastBlock", "", "A\x01\x02", "c" + string(make([]byte, hashLen))} {
		if got, ok := BlockOf([]byte(key), []byte("value")); ok {
			t.Errorf("%q: block %d", key, got)
		}
	}
	if _, ok := BlockOf(append([]byte("l"), make([]byte, hashLen)...), make([]byte, hashLen)); ok {
		t.Error("the hash of a block is taken for its number")
	}
}
