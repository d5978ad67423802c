package growth

import (
	"math"
	"math/rand/v2"
)

// stream draws random numbers, which depend on the seed and level only.
type stream struct{ source *rand.PCG }

func newStream(seed uint64, level int) stream {
	return stream{rand.NewPCG(seed, uint64(level))}
}

// uniform returns a number uniform in (0, 1).
func (s stream) uniform() float64 {
	return (float64(s.source.Uint64()>>11) + 0.5) / (1 << 53)
}

// normal returns a normal number with mean 0 and deviation 1 (Box and Muller).
func (s stream) normal() float64 {
	return math.Sqrt(-2*math.Log(s.uniform())) * math.Cos(2*math.Pi*s.uniform())
}

// exponential returns an exponential number with mean 1.
func (s stream) exponential() float64 { return -math.Log(s.uniform()) }
