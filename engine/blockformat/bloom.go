package blockformat

import "math"

// A Bloom filter of Pebble, and RocksDB's full filter, is an odd number of lines, so that
// more bits of a hash matter; each key sets bits in one of them:
//
//	line                  64 bytes
//	...
//	probes                1 byte
//	number of lines       4 bytes
//
// (Pebble: bloom/bloom.go.)
const (
	FilterLine    = 64 // bytes
	FilterTailLen = 5
	// MaxProbes is the most bits that a key sets.
	MaxProbes = 30
)

// FilterLines is the number of lines of a filter of the given keys and bits per key.
func FilterLines(keys, bitsPerKey int64) int64 {
	if keys == 0 {
		return 0
	}
	const lineBits = 8 * FilterLine
	return (keys*bitsPerKey+lineBits-1)/lineBits | 1
}

// FilterLen is the size of such a filter in bytes, without its block's trailer.
func FilterLen(keys, bitsPerKey int64) int64 {
	return FilterLines(keys, bitsPerKey)*FilterLine + FilterTailLen
}

// A table of goleveldb has a Bloom filter for each range of 2 KiB of its file in which a data block
// begins. Its filter block holds these, each with a byte for the number of probes, then the offset of
// each range's filter, the end of the last one, and a byte for the size of a range
// (leveldb/table/writer.go, filterWriter; leveldb/filter/bloom.go).
const (
	filterRange       = 2 << 10 // bytes
	filterRangeOffset = 4
	// LeastRangeFilterBits is the size of the smallest filter of a range.
	LeastRangeFilterBits = 64
	// filterRounding is what a filter loses to whole bytes, on average.
	filterRounding = 0.5
)

// RangeFilters describes the filters of a table's ranges.
type RangeFilters struct {
	Filters  float64 // how many there are
	Overhead float64 // bytes of the filter block that hold no bits of keys
}

// RangeFiltersOf describes the filters of a table whose data blocks take dataBytes of its file.
func RangeFiltersOf(dataBytes, dataBlocks int64) RangeFilters {
	ranges := math.Ceil(float64(dataBytes) / filterRange)
	filters := min(float64(dataBlocks), ranges)
	return RangeFilters{Filters: filters, Overhead: filterRangeOffset*(ranges+1) + 1 + (1+filterRounding)*filters}
}

// Len estimates the size of the filter block for a number of keys and bits per key, in bytes and
// without its trailer.
func (r RangeFilters) Len(keys, bitsPerKey int64) int64 {
	bits := max(float64(keys*bitsPerKey), r.Filters*LeastRangeFilterBits)
	return int64(math.Round(bits/8 + r.Overhead))
}

// BitsPerKey estimates the bits per key of filters from the size of the filter block. It is 0 if the
// filters are of the smallest size, which several numbers of bits would give.
func (r RangeFilters) BitsPerKey(keys, filterBytes int64) int64 {
	bits := 8 * (float64(filterBytes) - r.Overhead)
	if bits/r.Filters+8*filterRounding < LeastRangeFilterBits+8 {
		return 0
	}
	return max(int64(math.Round(bits/float64(keys))), 1)
}

// Probes is the number of bits that a key sets: about ln 2 times the bits per key.
func Probes(bitsPerKey float64) int { return int(min(max(bitsPerKey*0.69, 1), MaxProbes)) }
