package blockformat

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

// Probes is the number of bits that a key sets: about ln 2 times the bits per key.
func Probes(bitsPerKey float64) int { return int(min(max(bitsPerKey*0.69, 1), MaxProbes)) }
