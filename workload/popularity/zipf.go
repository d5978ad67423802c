package popularity

import "math"

// Zipf draws ranks 0..n-1, where the probability of rank k is proportional to (k+1)^-s.
// It uses rejection-inversion (Hörmann, Derflinger: ACM TOMACS 6, 1996): it inverts the
// integral of x^-s and rejects the difference between the curve and the steps.
type Zipf struct {
	s         float64
	n         float64
	low, span float64 // of the integral, from before rank 0 to after the last
	certain   float64
}

// NewZipf returns the Zipf distribution of n ranks with an exponent of 0 or more.
func NewZipf(s float64, n uint64) *Zipf {
	z := &Zipf{s: s, n: float64(n)}
	z.low = z.integral(1.5) - 1
	z.span = z.integral(z.n+0.5) - z.low
	z.certain = 2 - z.inverse(z.integral(2.5)-math.Pow(2, -s))
	return z
}

// integral returns the integral of x^-s from 1 to x.
func (z *Zipf) integral(x float64) float64 {
	log := math.Log(x)
	return expm1Over((1-z.s)*log) * log
}

func (z *Zipf) inverse(y float64) float64 {
	t := max(y*(1-z.s), -1)
	return math.Exp(log1pOver(t) * y)
}

// expm1Over returns (e^x - 1) / x.
func expm1Over(x float64) float64 {
	if math.Abs(x) < 1e-8 {
		return 1 + x/2
	}
	return math.Expm1(x) / x
}

// log1pOver returns log(1+x) / x.
func log1pOver(x float64) float64 {
	if math.Abs(x) < 1e-8 {
		return 1 - x/2
	}
	return math.Log1p(x) / x
}

// Rank draws a rank with random numbers, uniform in [0,1). It rejects a few of them.
func (z *Zipf) Rank(random func() float64) uint64 {
	for {
		y := z.low + random()*z.span
		x := z.inverse(y)
		k := min(max(math.Floor(x+0.5), 1), z.n)
		if k-x <= z.certain || y >= z.integral(k+0.5)-math.Pow(k, -z.s) {
			return uint64(k) - 1
		}
	}
}
