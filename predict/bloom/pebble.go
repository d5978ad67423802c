// Package bloom computes the false-positive rates of tables' Bloom filters. It hides how each library builds
// them. The textbook's formula does not hold for them: the probes of a key depend on each other, and parts of a filter hold
// different numbers of keys.
package bloom

import (
	"math"
	"math/bits"
	"sync"

	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/numbers/wyrand"
)

// Pebble returns the false-positive rate of a table's filter in Pebble.
func Pebble(t lsm.Table) float64 {
	return falsePositives(float64(t.FilterBytes) * 8 / float64(t.Keys()))
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
	// The tails left out hold less than one line in a million.
	mean := lineBits / bitsPerKey
	far := 5 * (math.Sqrt(mean) + 1)
	keys, most := int(max(mean-far, 0)), int(mean+far)
	weight, p := linesWith(float64(keys), mean), 0.0
	for ; keys <= most; keys++ {
		p += weight * simulated.lines[probes].rate(keys)
		weight *= mean / float64(keys+1)
	}
	return p
}

// linesWith returns the share of a filter's lines that hold so many keys: a Poisson distribution.
func linesWith(keys, mean float64) float64 {
	logGamma, _ := math.Lgamma(keys + 1)
	return math.Exp(keys*math.Log(mean) - mean - logGamma)
}

// lines simulates filter lines that all hold the same number of random keys.
type lines struct {
	probes int
	random *wyrand.Random
	bits   [linesSimulated][lineBits / 64]uint64 // of each line
	// rates holds their false-positive rates, by number of keys.
	rates []float64
}

const (
	linesSimulated = 4000
	askedPerLine   = 32 // absent keys looked up in each line
)

func newLines(probes int) *lines { return &lines{probes: probes, random: wyrand.New(1)} }

// usualProbes are the probes per key of filters with 10 bits per key, which geth chooses. Their simulation takes a tenth
// of a second, so its results are kept: usualPositives holds the false positives, by number of keys.
const usualProbes = 6

var usualPositives = [...]int{
	0, 5, 10, 10, 16, 17, 32, 26, 35, 38, 53, 54, 49, 64, 64, 63,
	79, 81, 88, 92, 88, 100, 119, 132, 142, 151, 165, 178, 197, 211, 246, 254,
	258, 248, 312, 343, 428, 419, 474, 516, 591, 581, 668, 684, 782, 830, 912, 1017,
	1047, 1129, 1242, 1303, 1447, 1591, 1630, 1756, 1939, 2006, 2101, 2253, 2447, 2560, 2768, 2913,
	3045, 3225, 3425, 3805, 3937, 4105, 4341, 4501, 4737, 4967, 5212, 5544, 5732, 6108, 6237, 6503,
	6812, 7212, 7515, 7878, 8198, 8492, 8769, 9028, 9513, 9735, 10069, 10546, 11108, 11187, 11596, 12210,
	12600, 13109, 13390, 13642, 14185, 14691, 15221, 15590, 16012, 16631, 17057, 17484, 17906, 18515, 18738, 19232,
	20015, 20398, 21050, 21298, 22190, 22393, 23204, 23661, 23713, 24689, 25278, 25560, 26369, 26723, 27414, 28122,
}

// rate returns the false-positive rate of a line that holds the given number of keys.
func (l *lines) rate(keys int) float64 {
	if l.probes == usualProbes && keys < len(usualPositives) {
		return share(usualPositives[keys])
	}
	return l.simulate(keys)
}

// simulate is rate without the results that are kept.
func (l *lines) simulate(keys int) float64 {
	for len(l.rates) <= keys {
		l.rates = append(l.rates, share(l.ask()))
		l.addKey()
	}
	return l.rates[keys]
}

// share returns the share of false positives among the absent keys that ask looks up.
func share(positives int) float64 { return float64(positives) / (linesSimulated * askedPerLine) }

// ask looks up absent keys in every line and returns the number of false positives.
func (l *lines) ask() int {
	maybe := 0
	for i := range l.bits {
		line := &l.bits[i]
		for range askedPerLine {
			if probe(l.random, l.probes, func(h uint32) bool { return line[h/64%8]>>(h%64)&1 != 0 }) {
				maybe++
			}
		}
	}
	return maybe
}

func (l *lines) addKey() {
	for i := range l.bits {
		line := &l.bits[i]
		probe(l.random, l.probes, func(h uint32) bool {
			line[h/64%8] |= 1 << (h % 64)
			return true
		})
	}
}

// probe calls use with the hashes that LevelDB's filters and Pebble's make of a random key for its probes, until it returns
// false. It returns whether all were used.
func probe(random *wyrand.Random, probes int, use func(h uint32) (more bool)) bool {
	h := uint32(random.Uint64())
	for delta := bits.RotateLeft32(h, 15); probes > 0; probes, h = probes-1, h+delta {
		if !use(h) {
			return false
		}
	}
	return true
}
