package twin

import (
	"math"
	"testing"
)

// TestZipfDrawsRanksByTheirShare compares frequencies with the shares that define
// the distribution.
func TestZipfDrawsRanksByTheirShare(t *testing.T) {
	for _, c := range []struct {
		s float64
		n uint64
	}{{0.5, 10}, {0.99, 1000}, {1, 100}, {1.5, 1 << 40}, {0.99, 1}} {
		const draws = 2_000_000
		z, random := newZipf(c.s, c.n), NewRandom(7)
		counts := map[uint64]float64{}
		for range draws {
			rank := z.rank(random)
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
				t.Errorf("exponent %v, %d ranks: rank %d came %.0f times, expected are %.0f", c.s, c.n, k, counts[k], want)
			}
		}
	}
}

func TestWorkloadsThatMakeNoSense(t *testing.T) {
	for _, w := range []Workload{{Absent: -0.1}, {Absent: 1.1}, {Absent: math.NaN()}, {Zipf: -1}, {Zipf: math.Inf(1)}, {Zipf: math.NaN()}} {
		if err := w.check(); err == nil {
			t.Errorf("%+v is taken", w)
		}
	}
}

func TestRandomIsUniform(t *testing.T) {
	random, counts := NewRandom(1), [16]float64{}
	const draws = 1 << 20
	for range draws {
		counts[random.Below(16)]++
		if f := random.Float64(); f < 0 || f >= 1 {
			t.Fatalf("Float64 is %v", f)
		}
	}
	for i, n := range counts {
		if math.Abs(n-draws/16) > 6*math.Sqrt(draws/16) {
			t.Errorf("%d came %.0f times of %d", i, n, draws)
		}
	}
}
