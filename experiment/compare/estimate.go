package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"getio/record"
)

// MinRounds is the least number of rounds with an interval.
const MinRounds = 2

// estimate returns the mean of at least MinRounds independent values, with its 95% interval by
// Student's t.
func estimate(values []float64) record.Estimate {
	n := len(values)
	mean, sd := stat.MeanStdDev(values, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	half := t * sd / math.Sqrt(float64(n))
	return record.Estimate{Mean: mean, CI95: [2]float64{mean - half, mean + half}}
}

// difference estimates side minus base over pairs of figures.
func difference(base, side []float64) record.Estimate {
	d := make([]float64, len(base))
	for i := range d {
		d[i] = side[i] - base[i]
	}
	return estimate(d)
}

// ratio estimates side divided by base over pairs of figures; nil if a figure is not above 0.
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
