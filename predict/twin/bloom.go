package twin

import (
	"math"
	"math/bits"
	"sync"

	"getio/tree/blockformat"
)

// Pebble's filters (bloom/bloom.go): all probes of a key fall into one line of 512
// bits, at equal distances that come from the same 32 bits of hash as the first.
const (
	bloomLine = 8 * blockformat.FilterLine
	bloomMost = blockformat.MaxProbes
)

// blooms knows how often Bloom filters err, by their probes per key. It is the same for
// all trees.
var blooms struct {
	sync.Mutex
	lines [bloomMost + 1]*bloomLines
}

// falsePositives is how often a filter of so many bits per key says maybe to a key that
// it was not given: the average over its lines, of which each has its share of the keys
// by chance. There is no formula for a line: keys whose bits lie at like distances get in
// each other's way, which makes a filter of 10 bits err in 1.2% of all cases, where
// independent bits would make it 1.0%.
func falsePositives(bitsPerKey float64) float64 {
	if bitsPerKey < 0.5 {
		return 1
	}
	probes := blockformat.Probes(math.Round(bitsPerKey))
	blooms.Lock()
	defer blooms.Unlock()
	if blooms.lines[probes] == nil {
		blooms.lines[probes] = newBloomLines(probes)
	}
	// A Poisson distribution, but for ends in which there is less than a line of a million.
	mean := bloomLine / bitsPerKey
	far := 5 * (math.Sqrt(mean) + 1)
	keys, most := int(max(mean-far, 0)), int(mean+far)
	logGamma, _ := math.Lgamma(float64(keys) + 1)
	weight := math.Exp(float64(keys)*math.Log(mean) - mean - logGamma)
	p := 0.0
	for ; keys <= most; keys++ {
		p += weight * blooms.lines[probes].maybe(keys)
		weight *= mean / float64(keys+1)
	}
	return p
}

// bloomLines are lines of filters that are given random keys, all of them as many.
type bloomLines struct {
	probes int
	random *Random
	lines  [4000][bloomLine / 64]uint64
	// said is how often they said maybe to other keys, by how many they had been given.
	said []float64
}

const bloomAsked = 32 // other keys, of each line

func newBloomLines(probes int) *bloomLines { return &bloomLines{probes: probes, random: NewRandom(1)} }

// maybe is how often a line that was given so many keys says maybe to another.
func (b *bloomLines) maybe(keys int) float64 {
	for len(b.said) <= keys {
		b.said = append(b.said, b.ask())
		b.give()
	}
	return b.said[keys]
}

// ask asks every line for keys that it was not given.
func (b *bloomLines) ask() float64 {
	maybe := 0
	for i := range b.lines {
		line := &b.lines[i]
	asked:
		for range bloomAsked {
			h := uint32(b.random.Uint64())
			for delta, n := bits.RotateLeft32(h, 15), b.probes; n > 0; n, h = n-1, h+delta {
				if line[h/64%8]>>(h%64)&1 == 0 {
					continue asked
				}
			}
			maybe++
		}
	}
	return float64(maybe) / float64(len(b.lines)*bloomAsked)
}

// give gives every line one more key.
func (b *bloomLines) give() {
	for i := range b.lines {
		line := &b.lines[i]
		h := uint32(b.random.Uint64())
		for delta, n := bits.RotateLeft32(h, 15), b.probes; n > 0; n, h = n-1, h+delta {
			line[h/64%8] |= 1 << (h % 64)
		}
	}
}
