package dataset

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlaceMatchesCount compares Place with a count of the keys before, for existing keys,
// keys next to them, and random keys.
func TestPlaceMatchesCount(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []uint64{1, 2, 3, 7, 64, 1000} {
		ks, err := NewKeyspace(KeyspaceStratified, n, 5)
		require.NoError(t, err)
		ascending := ks.(Ascending)
		keys := make([][KeySize]byte, n)
		for i := range keys {
			ks.Key(uint64(i), &keys[i])
		}
		require := func(key []byte) {
			want := uint64(0)
			for i := range keys {
				if bytes.Compare(keys[i][:], key) < 0 {
					want++
				}
			}
			require.Equal(t, want, ascending.Place(key), "%d keys, key %x", n, key)
		}
		for i := range keys {
			key := keys[i]
			require(key[:])
			require(append(key[:], 0))
			require(key[:20])
			key[KeySize-1]++
			require(key[:])
			key[KeySize-1] -= 2
			require(key[:])
		}
		for range 1000 {
			key := make([]byte, random.IntN(40))
			for i := range key {
				key[i] = byte(random.Uint32())
			}
			require(key)
		}
		require(nil)
		require(bytes.Repeat([]byte{0xff}, KeySize))
	}
}

// TestPlaceAtBucketBounds uses large numbers of keys, where buckets have few values and
// rounding of their bounds matters.
func TestPlaceAtBucketBounds(t *testing.T) {
	oneGoroutine(t)
	for _, n := range []uint64{1<<40 + 12345, 3e18, 1<<64 - 1} {
		ks, err := NewKeyspace(KeyspaceStratified, n, 5)
		require.NoError(t, err)
		var key [KeySize]byte
		for i := range uint64(100_000) {
			number := Bounded(Draw(3, i), n)
			ks.Key(number, &key)
			require.Equal(t, number, ks.(Ascending).Place(key[:]), "%d keys", n)
		}
	}
}
