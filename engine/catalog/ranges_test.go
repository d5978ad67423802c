package catalog

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawTables draws tables of some levels, whose data blocks begin at random keys of one byte, and these
// keys. Tables overlap in L0, and in no other level.
func drawTables(random *rand.Rand) (list []divided, begins [][][]byte) {
	add := func(level int, keys []byte) {
		slices.Sort(keys)
		var blocks [][]byte
		for _, k := range slices.Compact(keys) {
			blocks = append(blocks, []byte{k})
		}
		t := divided{level: level, dataBlocks: uint64(len(blocks)), ranges: uint64(len(blocks)), smallest: blocks[0], largest: blocks[len(blocks)-1]}
		if random.IntN(8) == 0 {
			t.ranges = 1 // a virtual table
		}
		list, begins = append(list, t), append(begins, blocks)
	}
	keysFrom := func(from, to int) (keys []byte) {
		for range 1 + random.IntN(10) {
			keys = append(keys, byte(from+random.IntN(to-from)))
		}
		return keys
	}
	for range random.IntN(4) {
		add(0, keysFrom(0, 256))
	}
	for _, level := range []int{4, 5, 6} {
		for from := random.IntN(100); from < 200; from += 10 + random.IntN(90) {
			add(level, keysFrom(from, from+10))
		}
	}
	random.Shuffle(len(list), func(i, j int) {
		list[i], list[j] = list[j], list[i]
		begins[i], begins[j] = begins[j], begins[i]
	})
	return list, append(begins, nil)
}

// TestRangesCoverEveryKeyOnce: ranges begin where data blocks of any level do, and end where the next
// one begins. Where several begin at one key, one range has the keys.
func TestRangesCoverEveryKeyOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		list, begins := drawTables(random)
		list = append(list, divided{level: 3, smallest: []byte{7}, largest: []byte{9}}) // deletes a range
		want := map[string]int{}
		for i, table := range list {
			for n := range table.ranges {
				want[string(begins[i][n])]++
			}
		}
		sorted := slices.Sorted(maps.Keys(want))
		r := newRanges(list)
		got, whole, unbounded := map[string]int{}, map[string]int{}, 0
		for n := range r.count() {
			first, last, err := r.get(n, func(table int, block uint64) ([]byte, error) {
				if block == 0 || block >= list[table].ranges {
					t.Fatalf("block %d of table %+v is asked for", block, list[table])
				}
				return begins[table][block], nil
			})
			require.NoError(t, err)
			key := string(first)
			if first == nil {
				unbounded++
				key = sorted[0]
			}
			got[key]++
			at, found := slices.BinarySearch(sorted, key)
			require.True(t, found, "range %d begins at %x", n, first)
			switch {
			case last == nil:
				require.Equal(t, len(sorted)-1, at, "range %d has no end", n)
				whole[key]++
			case string(last) != key:
				require.Equal(t, sorted[at+1], string(last), "the end of range %d from %x", n, first)
				whole[key]++
			}
		}
		require.Equal(t, 1, unbounded, "ranges without a begin")
		require.Equal(t, want, got)
		for key := range want {
			require.Equal(t, 1, whole[key], "ranges with keys from %x on", key)
		}
	}
}

// TestBlockStarts: in key order, of the level below L0 with the most data blocks alone.
func TestBlockStarts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		list, begins := drawTables(random)
		var blocks [7]uint64
		var starts [7][]string
		for i, table := range list {
			blocks[table.level] += table.dataBlocks
			for n := range table.ranges {
				starts[table.level] = append(starts[table.level], string(begins[i][n]))
			}
		}
		fullest := 1
		for level := range blocks {
			if level > 0 && blocks[level] > blocks[fullest] {
				fullest = level
			}
		}
		want := slices.Sorted(slices.Values(starts[fullest]))[1:]
		got := []string{}
		r := newRanges(list)
		require.NoError(t, r.starts(func(table int, n uint64) ([]byte, error) { return begins[table][n], nil }, func(key []byte) error {
			got = append(got, string(key))
			return nil
		}))
		require.Equal(t, want, got)
	}
	none := newRanges([]divided{{level: 0, smallest: []byte{1}, largest: []byte{2}, dataBlocks: 3, ranges: 3}})
	require.NoError(t, none.starts(nil, func([]byte) error { t.Error("a block of L0"); return nil }))
}

// TestRangeOfDamagedTable: what cannot be read is an error.
func TestRangeOfDamagedTable(t *testing.T) {
	failed := errors.New("damaged")
	r := newRanges([]divided{{level: 5, smallest: []byte{1}, largest: []byte{9}, ranges: 3}, {level: 6, smallest: []byte{2}, largest: []byte{3}, ranges: 1}})
	for n := range r.count() {
		_, _, err := r.get(n, func(int, uint64) ([]byte, error) { return nil, failed })
		assert.ErrorIs(t, err, failed, "range %d", n)
	}
}

// TestOneRange: a tree without tables is one range.
func TestOneRange(t *testing.T) {
	r := newRanges(nil)
	first, last, err := r.get(0, nil)
	if r.count() != 1 || first != nil || last != nil || err != nil {
		t.Errorf("%d ranges, from %x to %x, error %v", r.count(), first, last, err)
	}
}

func TestBelow(t *testing.T) {
	var counts [10]int
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		counts[below(random.Uint64(), 10)]++
	}
	for i, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("%d came %d times", i, n)
		}
	}
}
