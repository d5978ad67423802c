package chaindata

import (
	"bytes"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCategories tries a key for each rule, and the same key with one byte more.
func TestCategories(t *testing.T) {
	hash, number := strings.Repeat("\x11", 32), strings.Repeat("\x22", 8)
	seen := map[Category]bool{HashNodes: true}
	for _, c := range []struct {
		key    string
		want   Category
		longer Category // with one byte more
	}{
		{"h" + number + hash, Headers, Unaccounted},
		{"h" + number + hash + "t", Difficulties, Unaccounted},
		{"h" + number + "n", NumberToHash, Unaccounted},
		{"H" + hash, HashToNumber, Unaccounted},
		{"b" + number + hash, Bodies, Unaccounted},
		{"r" + number + hash, Receipts, Unaccounted},
		{"j" + number + hash, AccessLists, Unaccounted},
		{"l" + hash, Transactions, Unaccounted},
		{"c" + hash, Codes, Unaccounted},
		{"L" + hash, StateIDs, Unaccounted},
		{"A", AccountNodes, AccountNodes},
		{"A" + hash + hash[:31], AccountNodes, Unaccounted},
		{"O" + hash, StorageNodes, StorageNodes},
		{"O" + hash + hash + hash[:31], StorageNodes, Unaccounted},
		{"a" + hash, FlatAccounts, Unaccounted},
		{"o" + hash + hash, FlatStorage, Unaccounted},
		{"secure-key-" + hash, Preimages, Unaccounted},
		{"ethereum-config-" + hash, Metadata, Unaccounted},
		{"ethereum-genesis-" + hash, Metadata, Unaccounted},
		{"S" + number, BeaconHeaders, Unaccounted},
		{"clique-" + hash, CliqueSnapshots, Unaccounted},
		{"fm-r" + number, FilterMapRows, FilterMapRows},
		{"fm-r" + number + "x", FilterMapRows, Unaccounted},
		{"fm-b1234", FilterMapLastBlock, Unaccounted},
		{"fm-p" + number, FilterMapBlockLV, Unaccounted},
		{"fm-R", Metadata, Unaccounted},
		{"B" + number + "12" + hash, BloomBits, Unaccounted},
		{"iBcount", BloomBits, BloomBits},
		{"ma" + hash, StateHistory, Unaccounted},
		{"ms" + hash + hash, StateHistory, Unaccounted},
		{"mba" + hash + "1234", StateHistory, Unaccounted},
		{"mbs" + hash + hash + "1234", StateHistory, Unaccounted},
		{"mt" + hash, TrieHistory, TrieHistory},
		{"mbt" + hash + "1234", TrieHistory, TrieHistory},
		{"vAx", VerkleNodes, VerkleNodes},
		{"vL" + hash, VerkleStateIDs, Unaccounted},
		{"vTrieJournal", Metadata, Unaccounted},
		{"LastBlock", Metadata, Unaccounted},
		{"unclean-shutdown", Metadata, Unaccounted},
		{"update-" + number, Unaccounted, Unaccounted},
		{"", Unaccounted, Unaccounted},
		{"x", Unaccounted, Unaccounted},
	} {
		for key, want := range map[string]Category{c.key: c.want, c.key + "\x33": c.longer} {
			got := CategoryOf([]byte(key), nil)
			assert.Equal(t, want, got, "%q", key)
			seen[got] = true
		}
	}
	for _, list := range rules {
		for _, r := range list {
			assert.True(t, seen[r.category], "no key of %q was tried", r.category)
		}
	}
}

// TestHashNodes checks that a key which is the hash of its value is a hash trie node,
// whatever its first byte, and that the path of an account node of the same length is not.
func TestHashNodes(t *testing.T) {
	value := []byte("a node")
	for range 1000 {
		value = append(value, 'x')
		key := keccak256(value)
		require.Equal(t, HashNodes, CategoryOf(key, value), "%x", key)
	}
	path := append([]byte("A"), bytes.Repeat([]byte{7}, 31)...)
	assert.Equal(t, AccountNodes, CategoryOf(path, value))
}

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
	assert.Equal(t, 7, entries)
	for _, key := range []string{"LastBlock", "", "A\x01\x02", "c" + string(make([]byte, hashLen))} {
		if got, ok := BlockOf([]byte(key), []byte("value")); ok {
			t.Errorf("%q: block %d", key, got)
		}
	}
	if _, ok := BlockOf(append([]byte("l"), make([]byte, hashLen)...), make([]byte, hashLen)); ok {
		t.Error("the hash of a block is taken for its number")
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, data, 0o644))
}

func TestFreezers(t *testing.T) {
	dir := t.TempDir()
	index := func(removed byte, items int) []byte {
		return append([]byte{0, 3, 0, 0, 0, removed}, make([]byte, 6*items)...)
	}
	write(t, filepath.Join(dir, "chain", "headers.cidx"), index(0, 5))
	write(t, filepath.Join(dir, "chain", "headers.0000.cdat"), make([]byte, 1000))
	write(t, filepath.Join(dir, "chain", "headers.0001.cdat"), make([]byte, 500))
	write(t, filepath.Join(dir, "chain", "headers.meta"), make([]byte, 32))
	write(t, filepath.Join(dir, "chain", "hashes.ridx"), nil)
	write(t, filepath.Join(dir, "state", "account.data.cidx"), index(200, 7))
	write(t, filepath.Join(dir, "state", "account.data.10000.cdat"), make([]byte, 9))
	write(t, filepath.Join(dir, "bodies.cidx"), index(0, 1))
	write(t, filepath.Join(dir, "FLOCK"), nil)
	got, err := Freezers(dir)
	require.NoError(t, err)
	want := []Table{
		{Name: "bodies", Items: 1, Bytes: 12},
		{Freezer: "chain", Name: "hashes"},
		{Freezer: "chain", Name: "headers", Items: 5, Bytes: 1500 + 36},
		{Freezer: "state", Name: "account.data", Items: 207, Removed: 200, Bytes: 9 + 48},
	}
	assert.Equal(t, want, got)
	if none, err := Freezers(filepath.Join(dir, "nowhere")); err != nil || none != nil {
		t.Errorf("no freezer: %v, %v", none, err)
	}
	_, err = Freezers(filepath.Join(dir, "FLOCK"))
	assert.Error(t, err, "a file is taken for a freezer")
	ends := append(index(0, 4), 0, 1, 0, 0, 1, 244) // the fifth item: at byte 500 of file 1
	write(t, filepath.Join(dir, "chain", "headers.cidx"), ends)
	_, err = Freezers(dir)
	require.NoError(t, err)
	write(t, filepath.Join(dir, "chain", "headers.0001.cdat"), make([]byte, 499))
	_, err = Freezers(dir)
	assert.ErrorContains(t, err, "headers.0001.cdat has 499 bytes, but its index says at least 500")
	require.NoError(t, os.Remove(filepath.Join(dir, "chain", "headers.cidx")))
	write(t, filepath.Join(dir, "chain", "bals.cidx"), []byte{1, 2})
	_, err = Freezers(dir)
	assert.Error(t, err, "an index without a whole entry is taken")
}
