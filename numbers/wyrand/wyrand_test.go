package wyrand

import (
	"math"
	"testing"
)

func TestRandomIsUniform(t *testing.T) {
	random, counts := New(1), [16]float64{}
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
