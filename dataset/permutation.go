package dataset

import "math/bits"

// Permutation is a seeded bijection of [0,n) that needs no memory: a Feistel
// network over the smallest power of two that holds n, walked along its cycle
// until it is back below n (Black, Rogaway: "Ciphers with Arbitrary Finite
// Domains", 2002). The domain is below 2n, so that a walk has less than two
// steps on average.
type Permutation struct {
	n uint64
	// Numbers are split into a low half of lowBits bits and a high half of as
	// many or one less.
	lowBits           int
	lowMask, highMask uint64
	keys              [feistelRounds]uint64
}

// feistelRounds is more than the four that make a network of ideal rounds a
// strong pseudo-random permutation (Luby, Rackoff, 1988): these are not ideal,
// and a half has few bits when n is small.
const feistelRounds = 6

// NewPermutation returns the permutation of [0,n) that belongs to the seed, which
// has nothing to do with the order in which keys are written.
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

// Of returns the image of pos < n. The walk ends: a cycle of the network that
// holds pos comes back to pos at the latest.
func (p *Permutation) Of(pos uint64) uint64 {
	x := p.step(pos)
	for x >= p.n {
		x = p.step(x)
	}
	return x
}

// step permutes the domain. Each line changes one half by a function of the
// other alone and can be undone, which makes the whole a bijection even where
// the halves are of different lengths.
func (p *Permutation) step(x uint64) uint64 {
	low, high := x&p.lowMask, x>>p.lowBits
	for round := 0; round < feistelRounds; round += 2 {
		low ^= scramble(high, p.keys[round]) & p.lowMask
		high ^= scramble(low, p.keys[round+1]) & p.highMask
	}
	return high<<p.lowBits | low
}

// scramble is a cheap keyed hash: the halves of a 128-bit product, folded.
func scramble(half, key uint64) uint64 {
	high, low := bits.Mul64(half^key, golden)
	return high ^ low
}
