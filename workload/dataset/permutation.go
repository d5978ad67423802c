package dataset

import "math/bits"

// Permutation is a seeded bijection of [0,n) that needs no memory. It is a Feistel network
// over the smallest power of two that holds n, applied until the result is below n (Black,
// Rogaway: "Ciphers with Arbitrary Finite Domains", 2002). The domain is below 2n, so this
// takes less than two steps on average.
type Permutation struct {
	n uint64
	// Numbers are split into a low half of lowBits bits and a high half of the same length
	// or one bit less.
	lowBits           int
	lowMask, highMask uint64
	keys              [feistelRounds]uint64
}

// feistelRounds is above four, which is enough for a strong pseudo-random permutation if
// rounds are ideal (Luby, Rackoff, 1988). These rounds are not, and the halves have few bits
// if n is small.
const feistelRounds = 6

// NewPermutation returns the permutation of [0,n) for a seed. It is independent of the
// order in which keys are written.
func NewPermutation(n, seed uint64) *Permutation { return newPermutation(n, newStream(seed, forRanks)) }

func newPermutation(n uint64, random stream) *Permutation {
	domainBits := bits.Len64(n - 1)
	lowBits := domainBits - domainBits/2
	p := &Permutation{
		n:        n,
		lowBits:  lowBits,
		lowMask:  1<<lowBits - 1,
		highMask: 1<<(domainBits-lowBits) - 1,
	}
	for round := range p.keys {
		p.keys[round] = random.word(uint64(round))
	}
	return p
}

// Of returns the image of pos < n. The loop ends, since the cycle of the network that
// contains pos returns to pos.
func (p *Permutation) Of(pos uint64) uint64 {
	x := p.step(pos)
	for x >= p.n {
		x = p.step(x)
	}
	return x
}

// step permutes the domain. Each assignment changes one half by a function of the other
// half and can be undone, so step is a bijection even if the halves differ in length.
func (p *Permutation) step(x uint64) uint64 {
	low, high := x&p.lowMask, x>>p.lowBits
	for round := 0; round < feistelRounds; round += 2 {
		low ^= scramble(high, p.keys[round]) & p.lowMask
		high ^= scramble(low, p.keys[round+1]) & p.highMask
	}
	return high<<p.lowBits | low
}

// scramble is a cheap keyed hash: it folds the halves of a 128-bit product.
func scramble(half, key uint64) uint64 {
	high, low := bits.Mul64(half^key, golden)
	return high ^ low
}
