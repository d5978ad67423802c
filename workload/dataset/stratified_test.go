package dataset

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func prefixOf(key [KeySize]byte) uint64 {
	return binary.BigEndian.Uint64(key[:])
}

// bound returns floor(i*2^64/n), computed independently of the key space.
func bound(i, n uint64) *big.Int {
	b := new(big.Int).Lsh(new(big.Int).SetUint64(i), 64)
	return b.Quo(b, new(big.Int).SetUint64(n))
}

// checkAround requires key i to be in its bucket and after key i-1.
func checkAround(t *testing.T, s *stratified, i uint64) {
	t.Helper()
	key := keyOf(s, i)
	prefix := new(big.Int).SetUint64(prefixOf(key))
	if prefix.Cmp(bound(i, s.n)) < 0 || i+1 < s.n && prefix.Cmp(bound(i+1, s.n)) >= 0 {
		t.Fatalf("n %d: key %d (%x) is outside its bucket", s.n, i, key)
	}
	if i == 0 {
		return
	}
	if before := keyOf(s, i-1); bytes.Compare(before[:], key[:]) >= 0 || prefixOf(before) >= prefixOf(key) {
		t.Fatalf("n %d: key %d (%x) does not sort after key %d (%x)", s.n, i, key, i-1, before)
	}
}

func TestStratifiedKeysAscendWithinTheirBuckets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []uint64{1, 2, 3, 2e8, 2e10, 1<<32 - 1, 1 << 32, 1<<60 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 2, 1<<64 - 1}
	for range 300 {
		sizes = append(sizes, max(1, rng.Uint64()>>rng.IntN(64)))
	}
	for _, n := range sizes {
		s := newStratified(n, rng.Uint64())
		for range 100 {
			checkAround(t, s, rng.Uint64N(n))
		}
		for i := range min(n, 20) {
			checkAround(t, s, i)
			checkAround(t, s, n-1-i)
		}
	}
}

// TestStratifiedKeysAreUniform covers existing and absent keys.
func TestStratifiedKeysAreUniform(t *testing.T) {
	oneGoroutine(t)
	const n = 1 << 40
	s := newStratified(n, 3)
	key := func(i uint64) [KeySize]byte { return keyOf(s, i) }
	absent := func(i uint64) [KeySize]byte { return absentOf(s, i) }
	// A bucket is 2^24 wide: bits 16 to 23 of the prefix begin its offset.
	requireUniformByte(t, "offset", key, 5)
	requireUniformByte(t, "offset's end", key, 7)
	requireUniformByte(t, "ninth byte", key, 8)
	requireUniformByte(t, "last byte", key, 31)
	requireUniformByte(t, "absent prefix", absent, 0)
	requireUniformByte(t, "absent offset", absent, 5)
	requireUniformByte(t, "absent last byte", absent, 31)
}

func requireUniformByte(t *testing.T, what string, key func(i uint64) [KeySize]byte, at int) {
	t.Helper()
	counts, pairs := make([]int, 256), make([]int, 256)
	for i := range uint64(100_000) {
		a, b := key(2 * i)[at], key(2*i + 1)[at]
		counts[a]++
		pairs[a>>4<<4|b>>4]++
	}
	requireUniform(t, what, counts)
	requireUniform(t, what+" of neighbours", pairs)
}

// TestStratifiedFillsTheSpace checks that the first byte is uniform, both over the sorted
// keys of one key space and over many key spaces of one key.
func TestStratifiedFillsTheSpace(t *testing.T) {
	single, all := make([]int, 256), make([]int, 256)
	for seed := range uint64(100_000) {
		single[keyOf(newStratified(1, seed), 0)[0]]++
	}
	requireUniform(t, "single keys of all seeds", single)
	s := newStratified(256*100, 1)
	for i := range s.n {
		all[keyOf(s, i)[0]]++
	}
	for first, n := range all {
		assert.Equal(t, 100, n, "keys that begin with byte %d", first)
	}
}

func TestStratifiedKeysDependOnSeed(t *testing.T) {
	seen := map[[KeySize]byte]bool{}
	for seed := range uint64(1000) {
		seen[keyOf(newStratified(10, seed), 5)] = true
	}
	assert.Len(t, seen, 1000)
}

// TestMakeDiffer tests makeDiffer directly, since no absent key is known that equals an
// existing one.
func TestMakeDiffer(t *testing.T) {
	s := newStratified(1, 1)
	key := keyOf(s, 0)
	same := key
	makeDiffer(&same, &key)
	if same == key || !bytes.Equal(same[:31], key[:31]) {
		t.Errorf("key %x became %x, want another last byte", key, same)
	}
	other := absentOf(s, 0)
	unchanged := other
	if makeDiffer(&unchanged, &key); unchanged != other {
		t.Errorf("key %x became %x, want it unchanged", other, unchanged)
	}
}
