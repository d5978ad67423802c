// Package bloom computes the false-positive rates of tables' Bloom filters. The textbook's formula
// does not hold for them: the probes of a key depend on each other, and parts of a filter hold
// different numbers of keys.
package bloom

import (
	"math"
	"math/bits"
	"sync"

	"getio/numbers/wyrand"
	"getio/tree/blockformat"
	"getio/tree/lsm"
)

// Pebble returns the false-positive rate of a table's filter in Pebble.
func Pebble(t lsm.Table) float64 {
	return falsePositives(float64(t.FilterBytes) * 8 / float64(t.Records))
}

// lineBits is the size of a line of Pebble's filters (bloom/bloom.go): all probes of a key fall into
// one line. The first probe and the distance between probes come from the same 32 bits of hash.
const lineBits = 8 * blockformat.FilterLine

// simulated caches the false-positive rates of filter lines, by probes per key.
var simulated struct {
	sync.Mutex
	lines [blockformat.MaxProbes + 1]*lines
}

// falsePositives returns the false-positive rate of a filter with the given bits per key: the
// mean over its lines, which hold different numbers of keys. Lines are simulated because the probes
// of a key are not independent. At 10 bits, the rate is 1.2%; with independent probes, it would be
// 1.0%.
func falsePositives(bitsPerKey float64) float64 {
	if bitsPerKey < 0.5 {
		return 1
	}
	probes := blockformat.Probes(math.Round(bitsPerKey))
	simulated.Lock()
	defer simulated.Unlock()
	if simulated.lines[probes] == nil {
		simulated.lines[probes] = newLines(probes)
	}
	// A Poisson distribution without its tails, which hold less than one line in a million.
	mean := lineBits / bitsPerKey
	far := 5 * (math.Sqrt(mean) + 1)
	keys, most := int(max(mean-far, 0)), int(mean+far)
	logGamma, _ := math.Lgamma(float64(keys) + 1)
	weight := math.Exp(float64(keys)*math.Log(mean) - mean - logGamma)
	p := 0.0
	for ; keys <= most; keys++ {
		p += weight * simulated.lines[probes].rate(keys)
		weight *= mean / float64(keys+1)
	}
	return p
}

// lines simulates filter lines that all hold the same number of random keys.
type lines struct {
	probes int
	random *wyrand.Random
	bits   [4000][lineBits / 64]uint64 // of each line
	// rates holds their false-positive rates, by number of keys.
	rates []float64
}

const askedPerLine = 32 // absent keys looked up in each line

func newLines(probes int) *lines { return &lines{probes: probes, random: wyrand.New(1)} }

// rate returns the false-positive rate of a line that holds the given number of keys.
func (l *lines) rate(keys int) float64 {
	for len(l.rates) <= keys {
		l.rates = append(l.rates, l.ask())
		l.addKey()
	}
	return l.rates[keys]
}

// ask looks up absent keys in every line and returns the share of false positives.
func (l *lines) ask() float64 {
	maybe := 0
	for i := range l.bits {
		line := &l.bits[i]
	asked:
		for range askedPerLine {
			h := uint32(l.random.Uint64())
			for delta, n := bits.RotateLeft32(h, 15), l.probes; n > 0; n, h = n-1, h+delta {
				if line[h/64%8]>>(h%64)&1 == 0 {
					continue asked
				}
			}
			maybe++
		}
	}
	return float64(maybe) / float64(len(l.bits)*askedPerLine)
}

// addKey adds a key to every line.
func (l *lines) addKey() {
	for i := range l.bits {
		line := &l.bits[i]
		h := uint32(l.random.Uint64())
		for delta, n := bits.RotateLeft32(h, 15), l.probes; n > 0; n, h = n-1, h+delta {
			line[h/64%8] |= 1 << (h % 64)
		}
	}
}
