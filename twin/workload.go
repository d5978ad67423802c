package twin

import (
	"fmt"

	"getio/zipf"
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
	popular *zipf.Distribution // nil if all records are equally popular
}

func newGets(t *Tree, w Workload) (*gets, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	g := &gets{tree: t, random: NewRandom(w.Seed), absent: w.Absent}
	if w.Zipf > 0 {
		g.popular = zipf.New(w.Zipf, t.Records())
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
		record = NewRandom(g.popular.Rank(g.random)).Below(g.tree.Records())
	}
	if g.absent > 0 && g.random.Float64() < g.absent {
		return g.tree.Absent(dst, record, g.random)
	}
	return g.tree.Existing(dst, record, g.random)
}
