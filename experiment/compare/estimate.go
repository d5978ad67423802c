package compare

import (
	"math"

	"getio/numbers/interval"
	"getio/record"
)

// MinRounds is the least number of rounds with an interval.
const MinRounds = 2

// estimate returns the mean of at least MinRounds independent values, with its 95% interval by
// Student's t.
func estimate(values []float64) record.Estimate {
	e, _ := interval.Mean(values)
	lo, hi := e.Interval(interval.Usual)
	return record.Estimate{Mean: e.Mean, CI95: [2]float64{lo, hi}}
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
