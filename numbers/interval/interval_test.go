package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mean(t *testing.T, values ...float64) Estimate {
	t.Helper()
	e, ok := Mean(values)
	require.True(t, ok)
	return e
}

// TestMean: for the values 1 to 5, the interval is 3 +- 2.776 * 1.5811 / sqrt(5).
func TestMean(t *testing.T) {
	lo, hi := mean(t, 1, 2, 3, 4, 5).Interval(Usual)
	const half = 2.776445 * 1.5811388 / 2.2360680
	assert.InDelta(t, 3-half, lo, 1e-5)
	assert.InDelta(t, 3+half, hi, 1e-5)
	_, ok := Mean([]float64{1})
	assert.False(t, ok, "an interval of one value")
}

// TestMinus: of the values 1 to 5 and of 2, 4 and 6, the squared errors of the means are 2.5/5 and 4/3.
// Welch's degrees of freedom are (1/2 + 4/3)^2 / ((1/2)^2/4 + (4/3)^2/2).
func TestMinus(t *testing.T) {
	d := mean(t, 2, 4, 6).Minus(mean(t, 1, 2, 3, 4, 5))
	assert.InDelta(t, 1, d.Mean, 1e-12)
	assert.InDelta(t, math.Sqrt(0.5+4.0/3), d.Error, 1e-12)
	assert.InDelta(t, 3.532847, d.Freedom, 1e-6)
}

func TestWithoutErrors(t *testing.T) {
	d := Estimate{2, 0, 4}.Minus(Estimate{1, 0, 9})
	lo, hi := d.Interval(0.999)
	assert.Equal(t, []float64{1, 1}, []float64{lo, hi})
	assert.Equal(t, Estimate{1, 0.5, 9}, Estimate{1, 0.5, 9}.Minus(Estimate{0, 0, 4}), "one error has its own freedom")
}

// TestCoverage repeats pairs of samples with different spreads: about as many intervals of their difference
// and of their ratio hold the true one as their confidence says.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sample := func(n int, mean, spread float64) Estimate {
		values := make([]float64, n)
		for i := range values {
			values[i] = mean + spread*r.NormFloat64()
		}
		e, _ := Mean(values)
		return e
	}
	const pairs = 4000
	for _, confidence := range []float64{0.95, 0.993} {
		differences, ratios := 0, 0
		for range pairs {
			a, b := sample(20, 1.5, 0.03), sample(9, 1.2, 0.01)
			if lo, hi := a.Minus(b).Interval(confidence); lo <= 0.3 && 0.3 <= hi {
				differences++
			}
			if lo, hi := a.Log().Minus(b.Log()).Interval(confidence); math.Exp(lo) <= 1.25 && 1.25 <= math.Exp(hi) {
				ratios++
			}
		}
		off := 4 * math.Sqrt(confidence*(1-confidence)/pairs)
		assert.InDelta(t, confidence, float64(differences)/pairs, off, "differences")
		assert.InDelta(t, confidence, float64(ratios)/pairs, off, "ratios")
	}
}
