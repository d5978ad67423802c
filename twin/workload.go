package twin

import (
	"fmt"
	"math"
)

// Workload says which keys Gets ask for.
type Workload struct {
	// Absent is the share of Gets that ask for keys that are not there, which
	// lie among the others as these do.
	Absent float64
	// Zipf is the exponent of a Zipf distribution of the records' popularity; 0
	// makes all records equally popular. Popular ones lie anywhere in the tree.
	Zipf float64
	Seed uint64
}

func (w *Workload) check() error {
	if !(w.Absent >= 0 && w.Absent <= 1) {
		return fmt.Errorf("a share of %v of the Gets cannot be absent: take 0 to 1", w.Absent)
	}
	if !(w.Zipf >= 0 && w.Zipf <= 10) {
		return fmt.Errorf("no Zipf distribution of exponent %v: take 0 (uniform) to 10", w.Zipf)
	}
	return nil
}

// gets draws Gets one by one.
type gets struct {
	tree    *Tree
	random  *Random
	absent  float64
	popular *zipf // nil if all records are equally popular
}

func newGets(t *Tree, w Workload) (*gets, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	g := &gets{tree: t, random: NewRandom(w.Seed), absent: w.Absent}
	if w.Zipf > 0 {
		g.popular = newZipf(w.Zipf, t.Records())
	}
	return g, nil
}

// next appends the accesses of the next Get.
func (g *gets) next(dst []Access) []Access {
	record := uint64(0)
	if g.popular == nil {
		record = g.random.Below(g.tree.Records())
	} else {
		// Neighbours in popularity are far apart in the tree. Two ranks may be the
		// same record, one in as many as there are records in a lifetime of Gets.
		record = NewRandom(g.popular.rank(g.random)).Below(g.tree.Records())
	}
	if g.absent > 0 && g.random.Float64() < g.absent {
		return g.tree.Absent(dst, record, g.random)
	}
	return g.tree.Existing(dst, record, g.random)
}

// zipf draws ranks 0..n-1, of which rank k comes in proportion to (k+1)^-s, by
// rejection-inversion (Hörmann, Derflinger: ACM TOMACS 6, 1996): the inverse of
// the integral of x^-s gives a rank that is right but for the difference of a
// step and the curve in it, which is rejected.
type zipf struct {
	s         float64
	n         float64
	low, span float64 // of the integral, from before rank 0 to behind the last
	certain   float64
}

func newZipf(s float64, n uint64) *zipf {
	z := &zipf{s: s, n: float64(n)}
	z.low = z.integral(1.5) - 1
	z.span = z.integral(z.n+0.5) - z.low
	z.certain = 2 - z.inverse(z.integral(2.5)-math.Pow(2, -s))
	return z
}

// integral is that of x^-s, from 1 to x.
func (z *zipf) integral(x float64) float64 {
	log := math.Log(x)
	return expm1Over((1-z.s)*log) * log
}

// inverse is the inverse function of integral.
func (z *zipf) inverse(y float64) float64 {
	t := max(y*(1-z.s), -1)
	return math.Exp(log1pOver(t) * y)
}

// expm1Over is (e^x - 1) / x.
func expm1Over(x float64) float64 {
	if math.Abs(x) < 1e-8 {
		return 1 + x/2
	}
	return math.Expm1(x) / x
}

// log1pOver is log(1+x) / x.
func log1pOver(x float64) float64 {
	if math.Abs(x) < 1e-8 {
		return 1 - x/2
	}
	return math.Log1p(x) / x
}

func (z *zipf) rank(random *Random) uint64 {
	for {
		y := z.low + random.Float64()*z.span
		x := z.inverse(y)
		k := min(max(math.Floor(x+0.5), 1), z.n)
		if k-x <= z.certain || y >= z.integral(k+0.5)-math.Pow(k, -z.s) {
			return uint64(k) - 1
		}
	}
}
