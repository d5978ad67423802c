package popularity

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestZipfFrequencies compares frequencies with the definition of the distribution.
func TestZipfFrequencies(t *testing.T) {
	for _, c := range []struct {
		s float64
		n uint64
	}{{0.5, 10}, {0.99, 1000}, {1, 100}, {1.5, 1 << 40}, {0.99, 1}} {
		const draws = 2_000_000
		z, random := NewZipf(c.s, c.n), rand.New(rand.NewPCG(7, 0))
		counts := map[uint64]float64{}
		for range draws {
			rank := z.Rank(random.Float64)
			if rank >= c.n {
				t.Fatalf("rank %d of %d", rank, c.n)
			}
			counts[rank]++
		}
		total := 0.0
		for k := range min(c.n, 10_000_000) {
			total += math.Pow(float64(k+1), -c.s)
		}
		for k := range min(c.n, 10) {
			want := draws * math.Pow(float64(k+1), -c.s) / total
			if off := math.Abs(counts[k] - want); off > 5*math.Sqrt(want)+0.001*want {
				t.Errorf("exponent %v, %d ranks: rank %d drawn %.0f times, want %.0f", c.s, c.n, k, counts[k], want)
			}
		}
	}
}
