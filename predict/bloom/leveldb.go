package bloom

import (
	"cmp"
	"math"
	"math/bits"
	"sync"

	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/numbers/wyrand"
)

// usualBits are the bits per key that geth chooses. They are assumed where the filter block is too
// small to derive them.
const usualBits = 10

// LevelDB returns the false-positive rate of a table's filters in LevelDB. Their bits per key
// follow from the size of the filter block. Each record of a key has bits, so filters with several records of one
// key err less.
func LevelDB(t lsm.Table) float64 {
	ranges := blockformat.RangeFiltersOf(t.DataBytes, t.DataBlocks)
	inEach := func(n int64) int { return max(int(math.Round(float64(n)/ranges.Filters)), 1) }
	bitsPerKey := cmp.Or(ranges.BitsPerKey(t.Records, t.FilterBytes), usualBits)
	return levelDBFilters.rate(levelDBFilter{inEach(t.Records), inEach(t.Keys()), int(bitsPerKey)})
}

// levelDBFilter is a filter of LevelDB: of how many records, which are of how many keys, with how many bits for each.
type levelDBFilter struct{ records, keys, bitsPerKey int }

// levelDBFilters holds the false-positive rates of filters.
var levelDBFilters = filterRates{known: map[levelDBFilter]float64{}}

type filterRates struct {
	sync.Mutex
	known map[levelDBFilter]float64
}

func (f *filterRates) rate(of levelDBFilter) float64 {
	f.Lock()
	defer f.Unlock()
	if _, known := f.known[of]; !known {
		f.known[of] = of.simulate()
	}
	return f.known[of]
}

// simulate looks up absent keys in filters of random keys (leveldb/filter/bloom.go).
func (f levelDBFilter) simulate() float64 {
	const asked = 500_000
	size := uint32(max(f.records*f.bitsPerKey, blockformat.LeastRangeFilterBits)+7) / 8 * 8
	probes := blockformat.Probes(float64(f.bitsPerKey))
	random, filter := wyrand.New(1), make([]uint64, size/64+1)
	positions := func(use func(bit uint32) (more bool)) bool {
		h := uint32(random.Uint64())
		for delta, n := bits.RotateLeft32(h, 15), probes; n > 0; n, h = n-1, h+delta {
			if bit := h % size; !use(bit) {
				return false
			}
		}
		return true
	}
	positives, each := 0, max(4*f.keys, 64)
	for made := 0; made < asked; made += each {
		clear(filter)
		for range f.keys {
			positions(func(bit uint32) bool { filter[bit/64] |= 1 << (bit % 64); return true })
		}
		for range each {
			if positions(func(bit uint32) bool { return filter[bit/64]>>(bit%64)&1 != 0 }) {
				positives++
			}
		}
	}
	return float64(positives) / float64((asked+each-1)/each*each)
}
