package twin

import (
	"math"
	"testing"

	"getio/dataset/popularity"
)

func TestInvalidWorkloads(t *testing.T) {
	for _, w := range []Workload{{Absent: -0.1}, {Absent: 1.1}, {Absent: math.NaN()}, {Popularity: popularity.Popularity{Zipf: -1}}, {Popularity: popularity.Popularity{Zipf: math.Inf(1)}}, {Popularity: popularity.Popularity{Zipf: math.NaN()}}} {
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
