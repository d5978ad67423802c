package chaindata

import (
	"bytes"
	"strings"
	"testing"
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
			if got != want {
				t.Errorf("%q: %q, want %q", key, got, want)
			}
			seen[got] = true
		}
	}
	for _, list := range rules {
		for _, r := range list {
			if !seen[r.category] {
				t.Errorf("no key of %q was tried", r.category)
			}
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
		if got := CategoryOf(key, value); got != HashNodes {
			t.Fatalf("%x: %q", key, got)
		}
	}
	path := append([]byte("A"), bytes.Repeat([]byte{7}, 31)...)
	if got := CategoryOf(path, value); got != AccountNodes {
		t.Errorf("a path of 31 nibbles: %q", got)
	}
}
