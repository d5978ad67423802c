package twin

import (
	"math"
	"math/bits"
	"sync"

	"getio/tree/blockformat"
	"getio/tree/lsm"
)

// pebbleFalsePositives returns the false-positive rate of a table's filter in Pebble.
func pebbleFalsePositives(t lsm.Table) float64 {
	return falsePositives(float64(t.FilterBytes) * 8 / float64(t.Records))
}

// Pebble's filters (bloom/bloom.go): all probes of a key fall into one line of 512 bits. The
// first probe and the distance between probes come from the same 32 bits of hash.
const (
	bloomLine = 8 * blockformat.FilterLine
	bloomMost = blockformat.MaxProbes
)

// blooms caches the false-positive rates of filter lines, by probes per key.
var blooms struct {
	sync.Mutex
	lines [bloomMost + 1]*bloomLines
}

// falsePositives returns the false-positive rate of a filter with the given bits per key: the
// mean over its lines, whose number of keys is random. There is no formula for a line, since
// the probes of a key are not independent: at 10 bits, the rate is 1.2%, where independent
// probes would give 1.0%.
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
	// A Poisson distribution without its tails, which hold less than one line in a million.
	mean := bloomLine / bitsPerKey
	far := 5 * (math.Sqrt(mean) + 1)
	keys, most := int(max(mean-far, 0)), int(mean+far)
	logGamma, _ := math.Lgamma(float64(keys) + 1)
	weight := math.Exp(float64(keys)*math.Log(mean) - mean - logGamma)
	p := 0.0
	for ; keys <= most; keys++ {
		p += weight * blooms.lines[probes].rate(keys)
		weight *= mean / float64(keys+1)
	}
	return p
}

// bloomLines simulates filter lines that all hold the same number of random keys.
type bloomLines struct {
	probes int
	random *Random
	lines  [4000][bloomLine / 64]uint64
	// rates holds their false-positive rates, by number of keys.
	rates []float64
}

const bloomAsked = 32 // absent keys looked up in each line

func newBloomLines(probes int) *bloomLines { return &bloomLines{probes: probes, random: NewRandom(1)} }

// rate returns the false-positive rate of a line that holds the given number of keys.
func (b *bloomLines) rate(keys int) float64 {
	for len(b.rates) <= keys {
		b.rates = append(b.rates, b.ask())
		b.addKey()
	}
	return b.rates[keys]
}

// ask looks up absent keys in every line and returns the share of false positives.
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

// addKey adds a key to every line.
func (b *bloomLines) addKey() {
	for i := range b.lines {
		line := &b.lines[i]
		h := uint32(b.random.Uint64())
		for delta, n := bits.RotateLeft32(h, 15), b.probes; n > 0; n, h = n-1, h+delta {
			line[h/64%8] |= 1 << (h % 64)
		}
	}
}
