package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"getio/record"
)

// MinRounds is the least number of rounds that have an interval.
const MinRounds = 2

// estimate is the mean of independent values, of which there are at least MinRounds, with
// its interval by Student's t.
func estimate(values []float64) record.Estimate {
	n := len(values)
	mean, sd := stat.MeanStdDev(values, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	half := t * sd / math.Sqrt(float64(n))
	return record.Estimate{Mean: mean, CI95: [2]float64{mean - half, mean + half}}
}

// difference is that of pairs of figures, side less base.
func difference(base, side []float64) record.Estimate {
	d := make([]float64, len(base))
	for i := range d {
		d[i] = side[i] - base[i]
	}
	return estimate(d)
}

// ratio is that of pairs of figures, side by base; nil if one of them is not above 0.
func ratio(base, side []float64) *record.Estimate {
	logs := make([]float64, len(base))
	for i := range logs {
		if base[i] <= 0 || side[i] <= 0 {
			return nil
		}
		logs[i] = math.Log(side[i] / base[i])
	}
	e := estimate(logs)
	return &record.Estimate{Mean: math.Exp(e.Mean), CI95: [2]float64{math.Exp(e.CI95[0]), math.Exp(e.CI95[1])}}
}
