package dataset

import "math/bits"

// golden is 2^64 divided by the golden ratio, made odd: the increment of
// SplitMix64, which spreads consecutive numbers over the 64-bit space.
const golden = 0x9e3779b97f4a7c15

// Draw returns random number n of the seed's stream: 64 uniform bits. Streams of different seeds
// are independent, even if the seeds are consecutive. Draw is fast and not cryptographic.
func Draw(seed, n uint64) uint64 {
	return stream{mix64(seed)}.word(n)
}

// Bounded maps a uniform 64-bit number r to 0..n-1 by multiplying and keeping the high
// half. Ascending r give ascending results. The bias is below n/2^64, one part in 900
// million for n = 2e10. Bounded(r, 0) is 0.
func Bounded(r, n uint64) uint64 {
	high, _ := bits.Mul64(r, n)
	return high
}

// mix64 is the finalizer of SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014, with the constants of Stafford's variant 13). It is a bijection.
func mix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A purpose separates the random streams that a dataset derives from its seed. The numbers
// are part of the format.
type purpose uint64

const (
	forKeys purpose = iota + 1
	forAbsentKeys
	forValuePool
	forValueChoice
	forRandomValues
	forOrder
	forRanks
	forAccounts
)

// stream is a keyed function from numbers to random words.
type stream struct{ key uint64 }

func newStream(seed uint64, p purpose) stream {
	return stream{Draw(seed, uint64(p))}
}

// word returns number n of the stream; it is a bijection in n. It mixes n before the
// key; if it added the key to n, the streams of two seeds would be one sequence, shifted.
func (s stream) word(n uint64) uint64 {
	return mix64(mix64(n+golden) ^ s.key)
}
