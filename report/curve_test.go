package report

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/record"
)

// TestCurveFits draws measurements of all orders of magnitude.
func TestCurveFits(t *testing.T) {
	healthy := result(t, "")
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		var results []*record.Result
		for range 1 + random.IntN(12) {
			r := *healthy
			r.Cache.Bytes = int64(math.Exp(random.Float64()*20-3) * (1 << 20))
			r.IOsPerGet.Mean = math.Exp(random.Float64()*12 - 6)
			results = append(results, &r)
		}
		var out bytes.Buffer
		require.NoError(t, Curve(&out, results))
		requireCalm(t, "curve", out.String())
		require.LessOrEqual(t, strings.Count(out.String(), "\n"), 13, out.String())
	}
}

func TestRoundScale(t *testing.T) {
	for _, c := range []struct{ lowest, highest, low, step float64 }{
		{1, 1, 1, 0.1},
		{1.03, 2.25, 0.8, 0.4},
		{0, 0, 0, 0.1},
		{0.9, 9.9, 0, 3},
		{2, 1000, 0, 300},
	} {
		low, step := roundScale(c.lowest, c.highest)
		if math.Abs(low-c.low) > 1e-9 || math.Abs(step-c.step) > 1e-9 {
			t.Errorf("%v to %v: from %v by %v, want from %v by %v", c.lowest, c.highest, low, step, c.low, c.step)
		}
	}
}
