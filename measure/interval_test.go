package measure

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"getio/workload"
)

// recordedRun has the fields of a record of which docs/method.md computes the interval.
type recordedRun struct {
	Workload struct {
		Gets int64
	}
	IOs struct {
		CI95      [2]float64
		DriftCI95 *[2]float64 `json:"drift_ci95"`
		DriftGets float64     `json:"drift_gets"`
		Windows   []float64
	} `json:"ios_per_get"`
}

// spread returns V of docs/method.md, and t.
func spread(d []float64, e, p float64) (v, t float64) {
	n := float64(len(d))
	var squares, neighbours float64
	for i := range d {
		squares += d[i] * d[i]
		if i > 0 {
			neighbours += d[i] * d[i-1]
		}
	}
	rho := 0.0
	if len(d) >= 8 && squares > 0 {
		rho = math.Min(math.Max((n*neighbours/(squares*e)+p)/(n-4), 0), 0.8)
	}
	f := math.Min(1+e*2*rho/(1-rho)*(1-(1-math.Pow(rho, n))/(n*(1-rho))), n/2)
	return f * squares / (n * (n - f - p + 1)), distuv.StudentsT{Sigma: 1, Nu: math.Max(0.375*(n*e-p), 1)}.Quantile(0.975)
}

func (r *recordedRun) interval() (lo, hi float64) {
	var g, reads, d []float64
	var sum, squares, all float64
	n := int64(len(r.IOs.Windows))
	for i := range n {
		g = append(g, float64((i+1)*r.Workload.Gets/n-i*r.Workload.Gets/n))
		reads = append(reads, math.Round(g[i]*r.IOs.Windows[i]))
		sum, squares, all = sum+g[i], squares+g[i]*g[i], all+reads[i]
	}
	m := all / sum
	for i := range g {
		d = append(d, reads[i]-m*g[i])
	}
	v, t := spread(d, sum*sum/(float64(n)*squares), 1)
	h := t * float64(n) * math.Sqrt(v) / sum
	if all < float64(n) {
		h = math.Max(h, (distuv.ChiSquared{K: 2*all + 2}.Quantile(0.975)/2-all)/sum)
	}
	lo, hi = math.Max(m-h, 0), m+h
	if r.IOs.DriftCI95 == nil {
		return lo, hi
	}
	middle := float64(n-1) / 2
	var xy, xx float64
	for i, y := range r.IOs.Windows {
		xy, xx = xy+(float64(i)-middle)*(y-m), xx+(float64(i)-middle)*(float64(i)-middle)
	}
	for i, y := range r.IOs.Windows {
		d[i] = y - m - xy/xx*(float64(i)-middle)
	}
	v, t = spread(d, 1, 2)
	windows := r.IOs.DriftGets * float64(n) / sum
	c, off := xy/xx*windows, t*math.Sqrt(12*v/float64(n*n-1))*windows
	half := math.Hypot((hi-lo)/2, off)
	return math.Max(math.Min(math.Min(lo, m+c-half), m-0.0025*m), 0), math.Max(math.Max(hi, m+c+half), m+0.0025*m)
}

// TestIntervalFollowsFromTheRecord computes the intervals of records by the formula of docs/method.md, from the fields of
// the record alone.
func TestIntervalFollowsFromTheRecord(t *testing.T) {
	for name, options := range map[string]Options{"given": {Workload: workload.Workload{Gets: 10_007, Warmup: workload.WarmupGets(100), Workers: 1}, Counted: Counted{NoSplit: true}}, "own": sequentialGets()} {
		for reads, of := range map[string]float64{"many": 1.5, "few": 0.0005, "none": 0} {
			random := rand.New(rand.NewPCG(1, 2))
			s := newFakeStore(func(int64) int64 {
				x, whole := math.Modf(of + random.Float64())
				_ = whole
				return int64(x)
			})
			result, err := measureUniform(s, options)
			require.NoError(t, err)
			data, err := json.Marshal(result)
			require.NoError(t, err)
			var r recordedRun
			require.NoError(t, json.Unmarshal(data, &r))
			lo, hi := r.interval()
			assert.Positive(t, hi, "%s, %s", name, reads)
			assert.InDelta(t, lo, r.IOs.CI95[0], 1e-9, "%s, %s", name, reads)
			assert.InDelta(t, hi, r.IOs.CI95[1], 1e-9, "%s, %s", name, reads)
		}
	}
}
