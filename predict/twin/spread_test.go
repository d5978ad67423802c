package twin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/lsm"
	"getio/numbers/wyrand"
)

// grown returns a tree of evenly drawn keys. Of the keys in the parts of the key space that have
// tables in L5, a given share lies there; all others lie in L6.
func grown(displaced bool) *lsm.Shape {
	const (
		unit  = 1 << 54
		keys  = 100_000 // per 16 units
		share = 0.4     // of them in L5, where it has tables
	)
	var upper, last []lsm.Table
	random := wyrand.New(3)
	for i := uint64(0); i < 16; i++ {
		from := i*16*unit + random.Below(8)*unit
		width := 1 + random.Below(7)
		upper = append(upper, lsm.Table{Smallest: keyOf(from), Largest: keyOf(from + width*unit), Records: int64(share * keys / 16 * float64(width))})
		records := float64(keys)
		if displaced {
			records -= share * keys / 16 * float64(width)
		}
		last = append(last, lsm.Table{Smallest: keyOf(i * 16 * unit), Largest: keyOf((i+1)*16*unit - 1), Records: int64(records)})
	}
	for _, list := range [][]lsm.Table{upper, last} {
		for i := range list {
			list[i].DataBlocks, list[i].TopIndexBytes = list[i].Records/10, 100
		}
	}
	return shapeOf(map[int][]lsm.Table{5: upper, 6: last})
}

// TestSpreadOfANaturalTree: in a natural tree, fewer records of L6 lie below tables of L5.
func TestSpreadOfANaturalTree(t *testing.T) {
	for _, c := range []struct {
		displaced, even bool
		want            float64 // records of L6 per key below L5, of those elsewhere
	}{
		{displaced: true, want: 0.6}, {displaced: false, want: 1}, {displaced: true, even: true, want: 1},
	} {
		shape := grown(c.displaced)
		shape.EvenTables = c.even
		tree := newTree(t, shape, plainV1)
		for i, upper := range shape.Levels[0].TableList {
			p := &tree.tables[tree.runs[1].from+i]
			lo, hi := upper.Smallest.Prefix(), upper.Largest.Prefix()
			below := p.placeOf(hi) - p.placeOf(lo)
			width := float64(hi-lo) / float64(p.hi-p.lo)
			got := below / width / ((1 - below) / (1 - width))
			if math.Abs(got-c.want) > 0.05 {
				t.Errorf("displaced %v, even %v: below table %d, L6 is %.3f times as dense as elsewhere, expected %.3f", c.displaced, c.even, i, got, c.want)
			}
			for place := 0.0; place < 1; place += 1.0 / 64 {
				if back := p.placeOf(p.keyAt(place)); math.Abs(back-place) > 1e-9 {
					t.Fatalf("table %d: place %.6f has a key of place %.6f", i, place, back)
				}
			}
		}
	}
}

func TestNoSpreadForUnevenKeys(t *testing.T) {
	shape := grown(true)
	for i := range shape.Levels[1].TableList {
		l := &shape.Levels[1].TableList[i]
		l.Records *= int64(1 + i%3)
	}
	tree := newTree(t, shape, plainV1)
	for i := range tree.tables {
		assert.Nil(t, tree.tables[i].spread, "table %d", i)
	}
}
