package dataset

import (
	"math"
	"math/bits"
)

// LeastBytes returns a lower bound of the space that the keys and values of the dataset take on disk: their random
// bytes, which no compression shortens. It is 0 for a virtual dataset, which keeps neither.
func (m *Manifest) LeastBytes() uint64 {
	if m.Build == BuildVirtual {
		return 0
	}
	high, bytes := bits.Mul64(m.Keys, uint64(randomKeyBytes+m.randomValueBytes()))
	if high > 0 {
		return math.MaxUint64
	}
	return bytes
}

// randomKeyBytes are random in each key whatever the number of keys. In sorted order, the 8 bytes before them may
// follow from the neighbouring keys.
const randomKeyBytes = KeySize - 8

// randomValueBytes returns how many bytes of each value are random.
func (m *Manifest) randomValueBytes() int {
	switch m.Values {
	case ValuesRandom:
		return m.ValueSize
	case ValuesAccounts:
		return 8 + 32 + 32 - 2 // nonce, balance and code hash; a bit each of the first two is fixed
	}
	return 0 // a pool is written once, if compression finds its values again
}
