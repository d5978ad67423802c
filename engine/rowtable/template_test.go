package rowtable

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
)

// Blocks of named entries are read back for every restart interval.
func TestNamedEntriesRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		entries := map[string][]byte{}
		for range n {
			name := strings.Repeat("rocksdb.", random.IntN(3)) + fmt.Sprint(random.IntN(1_000))
			entries[name] = bytes.Repeat([]byte{byte(n)}, random.IntN(300))
		}
		for _, interval := range []int{1, 2, 16, 1 << 30} {
			const before = "what lies before it"
			b := appendRaw([]byte(before), entries, interval)
			got, err := readRaw(b, blockformat.Handle{Off: uint64(len(before)), Length: uint64(len(b) - len(before))})
			require.NoError(t, err)
			assert.True(t, maps.EqualFunc(got, entries, bytes.Equal), "%d entries, restart points at every %d: %v became %v", n, interval, entries, got)
		}
	}
}

// Reading a truncated block, or one outside the table, returns an error.
func TestDamagedNamedEntries(t *testing.T) {
	whole := appendRaw(nil, map[string][]byte{"a.name": []byte("value"), "another": nil}, 1<<30)
	for cut := range len(whole) {
		// Keep the end of the block, which says where its entries end.
		b := append(bytes.Clone(whole[:cut]), whole[len(whole)-8:]...)
		got, err := readRaw(b, blockformat.Handle{Off: 0, Length: uint64(len(b))})
		if err == nil && len(got) == 2 && cut < len(whole)-8 {
			t.Errorf("cut off at %d: %v", cut, got)
		}
	}
	n := uint64(len(whole))
	for _, h := range [][2]uint64{{0, n + 1}, {1, n}, {n, 4}, {0, 0}, {0, 3}, {n - 2, 3}, {2, math.MaxUint64 - 1}, {math.MaxUint64, 4}} {
		if got, err := readRaw(whole, blockformat.Handle{Off: h[0], Length: h[1]}); err == nil {
			t.Errorf("%+v of %d bytes: %v", h, n, got)
		}
	}
	manyRestarts := append(bytes.Clone(whole[:n-4]), 0xff, 0xff, 0xff, 0xff)
	_, err := readRaw(manyRestarts, blockformat.Handle{Off: 0, Length: n})
	assert.Error(t, err, "more restart points than bytes, and no error")
}
