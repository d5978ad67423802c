package sampling

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// TestRangesHoldEveryKeyOnce: ranges follow one another without a gap, each begins
// where a block of the fullest level does, and none is in a table of L0.
func TestRangesHoldEveryKeyOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	list := []Table{{Level: 0, Smallest: []byte{0}, DataBlocks: 1000, Ranges: 1000}, {Level: 5, Smallest: []byte{9}, DataBlocks: 3, Ranges: 3}}
	blocks := uint64(0)
	for i := range 20 {
		one := Table{Level: 6, Smallest: []byte{byte(10 * i)}, DataBlocks: random.Uint64N(9)}
		if one.Ranges = one.DataBlocks; i%5 == 0 && one.DataBlocks > 0 {
			one.Ranges = 1
		}
		blocks += one.Ranges
		list = append(list, one)
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	r := NewRanges(list)
	if r.Count() != blocks {
		t.Errorf("%d ranges, want %d", r.Count(), blocks)
	}
	start := func(table int, block uint64) ([]byte, error) {
		if block == 0 || block >= list[table].Ranges || list[table].Level != 6 {
			t.Errorf("block %d of table %+v is asked for", block, list[table])
		}
		return append(bytes.Clone(list[table].Smallest), byte(block)), nil
	}
	var end []byte
	for n := range r.Count() {
		first, last, err := r.Range(n, start)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, end) || last != nil && bytes.Compare(first, last) >= 0 {
			t.Errorf("range %d is from %x to %x, the one before ends at %x", n, first, last, end)
		}
		end = last
	}
	if end != nil {
		t.Errorf("the last range ends at %x", end)
	}
	failed := errors.New("damaged")
	if _, _, err := r.Range(r.Count()-1, func(int, uint64) ([]byte, error) { return nil, failed }); err != nil && !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}

// TestOneRange of a tree that has nothing below L0.
func TestOneRange(t *testing.T) {
	r := NewRanges([]Table{{Level: 0, DataBlocks: 5, Ranges: 5}})
	first, last, err := r.Range(0, nil)
	if r.Count() != 1 || first != nil || last != nil || err != nil {
		t.Errorf("%d ranges, from %x to %x, error %v", r.Count(), first, last, err)
	}
}

func TestBelow(t *testing.T) {
	var counts [10]int
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		counts[Below(random.Uint64(), 10)]++
	}
	for i, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("%d came %d times", i, n)
		}
	}
}
