package bloom

import (
	"math"

	"getio/engine/lsm"
)

// RocksDBFormat is the format of tables from which on RocksDB writes its newer filters. Older ones
// are like Pebble's.
const RocksDBFormat = 5

// RocksDB returns the false-positive rate of a table's newer filter in RocksDB (util/bloom_impl.h,
// FastLocalBloomImpl): all probes of a key fall into one line of 512 bits, and are independent of
// each other there. Lines hold different numbers of keys.
func RocksDB(t lsm.Table) float64 {
	bitsPerKey := float64(t.FilterBytes-t.TopFilterBytes) * 8 / float64(t.Keys())
	if bitsPerKey < 0.5 {
		return 1
	}
	probes := rocksDBProbes(bitsPerKey)
	mean, rate := lineBits/bitsPerKey, 0.0
	for keys := 0.0; keys < mean+8*math.Sqrt(mean)+8; keys++ {
		set := 1 - math.Pow(1-1.0/lineBits, keys*probes)
		rate += linesWith(keys, mean) * math.Pow(set, probes)
	}
	return rate
}

// rocksDBProbes is the number of bits that a key sets (util/bloom_impl.h, ChooseNumProbes).
func rocksDBProbes(bitsPerKey float64) float64 {
	for i, most := range []float64{2.08, 3.58, 5.1, 6.64, 8.3, 10.07, 11.72, 14.001, 16.05, 18.3, 22.001, 25.501} {
		if math.Round(bitsPerKey) <= most {
			return float64(i + 1)
		}
	}
	const most = 24
	return min(math.Floor((math.Round(bitsPerKey)-0.001)/2)-1, most)
}
