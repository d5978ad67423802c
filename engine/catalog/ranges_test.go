package catalog

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Ranges have no gaps, and each begins where a block of the largest level does, never in a
// table of L0.
func TestRangesCoverEveryKeyOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	list := []divided{{level: 0, smallest: []byte{0}, dataBlocks: 1000, ranges: 1000}, {level: 5, smallest: []byte{9}, dataBlocks: 3, ranges: 3}}
	blocks := uint64(0)
	for i := range 20 {
		one := divided{level: 6, smallest: []byte{byte(10 * i)}, dataBlocks: random.Uint64N(9)}
		if one.ranges = one.dataBlocks; i%5 == 0 && one.dataBlocks > 0 {
			one.ranges = 1
		}
		blocks += one.ranges
		list = append(list, one)
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	r := newRanges(list)
	assert.Equal(t, blocks, r.count())
	start := func(table int, block uint64) ([]byte, error) {
		if block == 0 || block >= list[table].ranges || list[table].level != 6 {
			t.Errorf("block %d of table %+v is asked for", block, list[table])
		}
		return append(bytes.Clone(list[table].smallest), byte(block)), nil
	}
	var end []byte
	for n := range r.count() {
		first, last, err := r.get(n, start)
		require.NoError(t, err)
		if !bytes.Equal(first, end) || last != nil && bytes.Compare(first, last) >= 0 {
			t.Errorf("range %d is from %x to %x, the one before ends at %x", n, first, last, end)
		}
		end = last
	}
	assert.Nil(t, end)
	failed := errors.New("damaged")
	if _, _, err := r.get(r.count()-1, func(int, uint64) ([]byte, error) { return nil, failed }); err != nil && !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}

// A tree with nothing below L0 is one range.
func TestOneRange(t *testing.T) {
	r := newRanges([]divided{{level: 0, dataBlocks: 5, ranges: 5}})
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
