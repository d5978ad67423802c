// Package interval estimates means with their standard errors, and gives confidence intervals by Student's t
// of a mean, and of the difference and the ratio of two independent means.
package interval

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Usual is the confidence of an interval where no other is named.
const Usual = 0.95

// Estimate is an estimated mean, its standard error, and the degrees of freedom of the error.
type Estimate struct{ Mean, Error, Freedom float64 }

// Mean estimates the mean that independent values have. ok is false with fewer than two.
func Mean(values []float64) (e Estimate, ok bool) {
	n := float64(len(values))
	if n < 2 {
		return e, false
	}
	mean, sd := stat.MeanStdDev(values, nil)
	return Estimate{mean, sd / math.Sqrt(n), n - 1}, true
}

// Interval returns the interval of a confidence, which is a fraction.
func (e Estimate) Interval(confidence float64) (lo, hi float64) {
	half := e.HalfWidth(confidence)
	return e.Mean - half, e.Mean + half
}

// HalfWidth returns half the width of the interval of a confidence.
func (e Estimate) HalfWidth(confidence float64) float64 {
	if e.Error == 0 {
		return 0
	}
	return Student(confidence, e.Freedom) * e.Error
}

// Minus estimates e less an independent mean: Welch's interval.
func (e Estimate) Minus(other Estimate) Estimate {
	return Estimate{e.Mean - other.Mean, math.Hypot(e.Error, other.Error), welch(e, other)}
}

// welch returns the degrees of freedom of the sum of two errors. (B. L. Welch, The generalization of
// 'Student's' problem when several different population variances are involved, Biometrika 34, 1947)
func welch(a, b Estimate) float64 {
	va, vb := a.Error*a.Error, b.Error*b.Error
	if va+vb == 0 {
		return a.Freedom + b.Freedom
	}
	return (va + vb) * (va + vb) / (va*va/a.Freedom + vb*vb/b.Freedom)
}

// Log estimates the logarithm of a mean that is above 0: its error is the relative error of the mean. The
// difference of two logarithms is the logarithm of the ratio of two means.
func (e Estimate) Log() Estimate { return Estimate{math.Log(e.Mean), e.Error / e.Mean, e.Freedom} }

// Student returns how many standard errors an interval of a confidence reaches to each side.
func Student(confidence, freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - (1-confidence)/2)
}

// MostExpected returns how many events are to be expected at most, with the usual confidence to both sides, where some
// were counted: 3.69 if none was. It is exact for a Poisson process. (F. Garwood, Fiducial limits for the Poisson
// distribution, Biometrika 28, 1936)
func MostExpected(counted float64) float64 {
	return distuv.ChiSquared{K: 2 * (counted + 1)}.Quantile(1-(1-Usual)/2) / 2
}

// OfEach returns the confidence that each of n intervals must have, so that all of them hold with the given one
// (Bonferroni).
func OfEach(n int, all float64) float64 { return 1 - (1-all)/float64(max(n, 1)) }
