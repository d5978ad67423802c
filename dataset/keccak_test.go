package dataset

import (
	"encoding/hex"
	"testing"
)

// TestKeccakVectors: the first two hashes are known from Solidity's storage layout, as the
// slots of the first elements of dynamic arrays at slots 0 and 1. The first is also key 0
// of the published databases.
func TestKeccakVectors(t *testing.T) {
	ks := mustKeyspace(t, KeyspaceKeccak, 2e10, 99)
	for i, want := range map[uint64]string{
		0: "290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563",
		1: "b10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6",
		2: "405787fa12a823e0f2b7631cc41b3ba8828b3321ca811111fa75cd3aa3bb5ace",
		3: "c2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b",
	} {
		key := keyOf(ks, i)
		if got := hex.EncodeToString(key[:]); got != want {
			t.Errorf("key %d = %s, want %s", i, got, want)
		}
	}
}

func TestKeccakAbsentKeysHashUnusedNumbers(t *testing.T) {
	ks := newKeccak(10)
	for _, r := range []uint64{0, 5, 1 << 63, 1<<63 + 5} {
		if absentOf(ks, r) != keyOf(ks, 1<<63|r) {
			t.Errorf("absent key %d is not the hash of %d", r, 1<<63|r)
		}
	}
}
