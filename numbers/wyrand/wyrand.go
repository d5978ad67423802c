// Package wyrand generates random numbers that repeat with their seed. Simulations draw them for
// each access, so they must be cheap: a number takes one multiplication. The generator is wyrand,
// as in wyhash's final version 3.
package wyrand

import "math/bits"

// Random is a generator. Only one goroutine may use it.
type Random struct{ state uint64 }

// New returns a generator with the given seed.
func New(seed uint64) *Random { return &Random{seed} }

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
