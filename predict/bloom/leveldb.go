package bloom

import (
	"cmp"
	"math"
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
	f := levelDBFilter{inEach(t.Records), inEach(t.Keys()), int(bitsPerKey)}
	levelDBRates.Lock() // also while it simulates: others may ask for the same filter
	defer levelDBRates.Unlock()
	if _, known := levelDBRates.of[f]; !known {
		levelDBRates.of[f] = f.simulate()
	}
	return levelDBRates.of[f]
}

// levelDBFilter is a filter of LevelDB: of how many records, which are of how many keys, with how many bits for each.
type levelDBFilter struct{ records, keys, bitsPerKey int }

// levelDBRates holds the false-positive rate of each levelDBFilter that was asked for.
var levelDBRates = struct {
	sync.Mutex
	of map[levelDBFilter]float64
}{of: map[levelDBFilter]float64{}}

// simulate looks up absent keys in filters of random keys (leveldb/filter/bloom.go).
func (f levelDBFilter) simulate() float64 {
	const asked = 500_000
	size := uint32(max(f.records*f.bitsPerKey, blockformat.LeastRangeFilterBits)+7) / 8 * 8
	probes := blockformat.Probes(float64(f.bitsPerKey))
	random, filter := wyrand.New(1), make([]uint64, size/64+1)
	set := func(h uint32) bool {
		bit := h % size
		filter[bit/64] |= 1 << (bit % 64)
		return true
	}
	has := func(h uint32) bool {
		bit := h % size
		return filter[bit/64]>>(bit%64)&1 != 0
	}
	positives, each := 0, max(4*f.keys, 64)
	for made := 0; made < asked; made += each {
		clear(filter)
		for range f.keys {
			probe(random, probes, set)
		}
		for range each {
			if probe(random, probes, has) {
				positives++
			}
		}
	}
	return float64(positives) / float64((asked+each-1)/each*each)
}
