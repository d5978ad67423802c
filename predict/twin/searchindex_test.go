package twin

import (
	"encoding/binary"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSearchIndex compares the search with a binary search of the whole list.
func FuzzSearchIndex(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint64(3), uint8(0))
	f.Add([]byte("some bytes that make up a list of numbers, which is sorted"), uint64(1)<<40, uint8(20))
	f.Add(make([]byte, 80), uint64(0), uint8(63))
	f.Fuzz(func(t *testing.T, data []byte, n uint64, shift uint8) {
		var list []uint64
		for ; len(data) >= 8; data = data[8:] {
			list = append(list, binary.LittleEndian.Uint64(data)>>(shift%64))
		}
		if len(list) == 0 {
			return
		}
		slices.Sort(list)
		j := newSearchIndex(list)
		for _, n := range append(slices.Clone(list), n, n>>(shift%64), 0, list[len(list)-1]+1) {
			want := sort.Search(len(list), func(i int) bool { return list[i] >= n })
			require.Equal(t, want, j.first(n), "the first of %v at or above %d", list, n)
		}
	})
}
