package twin

import (
	"math"
	"math/bits"
)

// blooms knows how often Bloom filters err, by their bits per key.
type blooms map[int]float64

// bloomSteps is how many different figures a bit per key makes.
const bloomSteps = 16

// falsePositives is how often a filter of so many bits per key says maybe to a
// key that it was not given.
func (b blooms) falsePositives(bitsPerKey float64) float64 {
	step := int(math.Round(bitsPerKey * bloomSteps))
	p, known := b[step]
	if !known {
		p = falsePositives(float64(step) / bloomSteps)
		b[step] = p
	}
	return p
}

// Pebble's filters (bloom/bloom.go): all probes of a key fall into one line of 512
// bits, at equal distances that come from the same 32 bits of hash as the first.
const (
	bloomLine   = 512
	bloomLines  = 20_000 // of which falsePositives makes an average
	bloomProbes = 64     // keys that it asks each of them for
	bloomMost   = 30     // bits of a key
)

// falsePositives fills lines with random keys, and asks them for others. There
// is no formula: keys whose bits lie at like distances get in each other's way,
// which makes a filter of 10 bits err in 1.2% of all cases, where independent
// bits would make it 1.0%.
func falsePositives(bitsPerKey float64) float64 {
	if bitsPerKey < 0.5 {
		return 1
	}
	random := NewRandom(1)
	probes := int(min(max(math.Round(bitsPerKey)*0.69, 1), bloomMost))
	maybe := 0
	for range bloomLines {
		var line [bloomLine / 64]uint64
		for range random.poisson(bloomLine / bitsPerKey) {
			h := uint32(random.Uint64())
			for delta, n := bits.RotateLeft32(h, 15), probes; n > 0; n, h = n-1, h+delta {
				line[h/64%8] |= 1 << (h % 64)
			}
		}
	asked:
		for range bloomProbes {
			h := uint32(random.Uint64())
			for delta, n := bits.RotateLeft32(h, 15), probes; n > 0; n, h = n-1, h+delta {
				if line[h/64%8]>>(h%64)&1 == 0 {
					continue asked
				}
			}
			maybe++
		}
	}
	return float64(maybe) / (bloomLines * bloomProbes)
}

// poisson draws a number of events of which mean are expected.
func (r *Random) poisson(mean float64) int {
	n := 0
	for left := mean - r.exponential(); left > 0; left -= r.exponential() {
		n++
	}
	return n
}

func (r *Random) exponential() float64 { return -math.Log1p(-r.Float64()) }
