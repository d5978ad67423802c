package twin

import "math/bits"

// Random generates random numbers with wyrand, which takes one multiplication.
type Random struct{ state uint64 }

// NewRandom returns a generator with the given seed.
func NewRandom(seed uint64) *Random { return &Random{seed} }

// Uint64 returns 64 random bits.
func (r *Random) Uint64() uint64 {
	r.state += 0xa0761d6478bd642f
	high, low := bits.Mul64(r.state, r.state^0xe7037ed1a0b428db)
	return high ^ low
}

// Float64 returns a number in [0, 1).
func (r *Random) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Below returns a number below n.
func (r *Random) Below(n uint64) uint64 {
	high, _ := bits.Mul64(r.Uint64(), n)
	return high
}
