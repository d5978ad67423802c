package twin

import (
	"fmt"
	"math/bits"

	"getio/numbers/wyrand"
	"getio/workload/popularity"
)

// Workload describes which keys Gets ask for.
type Workload struct {
	// Absent is the share of Gets of absent keys, which are distributed like existing ones.
	Absent float64
	// Popularity of the records. Popular ones are anywhere in the tree.
	Popularity popularity.Popularity
	Seed       uint64
	// Asked, if not nil, returns the number of the key of each Get in turn: equal for equal keys, and
	// spread over all 64 bits. Then nothing is drawn.
	Asked func() uint64
}

func (w *Workload) check() error {
	if !(w.Absent >= 0 && w.Absent <= 1) {
		return fmt.Errorf("invalid share of absent keys, %v: choose 0 to 1", w.Absent)
	}
	return w.Popularity.Check()
}

// gets draws Gets.
type gets struct {
	tree    *Tree
	random  *wyrand.Random
	absent  float64
	popular *popularity.Distribution // nil if all records are equally popular
	asked   func() uint64            // nil if Gets are drawn
}

func newGets(t *Tree, w Workload) (*gets, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	g := &gets{tree: t, random: wyrand.New(w.Seed), absent: w.Absent, asked: w.Asked}
	if !w.Popularity.Uniform() {
		g.popular = w.Popularity.Of(t.Records(), w.Seed)
	}
	return g, nil
}

// next appends the accesses of the next Get. All Gets of a popular record ask for the same key,
// for which filters always answer the same.
func (g *gets) next(dst []Access) []Access {
	var record uint64
	random := g.random
	if g.asked != nil {
		number := g.asked()
		record, _ = bits.Mul64(number, g.tree.Records())
		return g.tree.Existing(dst, record, wyrand.New(number))
	}
	if g.popular == nil {
		record = random.Below(g.tree.Records())
	} else {
		record = g.popular.Number(random.Uint64())
		random = wyrand.New(record)
	}
	if g.absent > 0 && g.random.Float64() < g.absent {
		return g.tree.Absent(dst, record, random)
	}
	return g.tree.Existing(dst, record, random)
}
