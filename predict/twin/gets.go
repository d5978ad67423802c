package twin

import (
	"math/bits"

	"getio/numbers/wyrand"
	"getio/workload"
	"getio/workload/popularity"
)

// gets draws Gets.
type gets struct {
	tree    *Tree
	random  *wyrand.Random
	absent  float64
	popular *popularity.Distribution // nil if all records are equally popular
	asked   func() uint64            // as in Plan
}

func newGets(t *Tree, k workload.Keys) (*gets, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	g := &gets{tree: t, random: wyrand.New(k.Seed), absent: k.Absent}
	if !k.Popularity.Uniform() {
		g.popular = k.Popularity.Of(t.Records(), k.Seed)
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
