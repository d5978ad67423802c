package growth

import (
	"math"
	"math/rand/v2"

	"getio/engine/lsm"
)

// lastLevel is L6, whose tables cover the key space without gaps.
const lastLevel = lsm.NumLevels - 1

// Shape returns the settled tree that keys random keys, written in random order, grow
// into. Each table has its level, sublevel, bounds (the first 8 bytes of its smallest
// and largest key), number of records and approximate file size.
func Shape(keys uint64, o Options) (*lsm.Shape, error) {
	if err := o.check(keys); err != nil {
		return nil, err
	}
	return layOut(o.plan(keys), &o), nil
}

// levelPlan describes one level.
type levelPlan struct {
	records     uint64
	count       int     // of tables
	from, to    float64 // the part of the key space that tables and gaps fill
	arrangement arrangement
}

// plan holds the levelPlan of every level.
type plan [lsm.NumLevels]levelPlan

func layOut(p plan, o *Options) *lsm.Shape {
	var tables [lsm.NumLevels][]lsm.Table
	for level, t := range p {
		if t.records == 0 {
			continue
		}
		tables[level] = t.tables(newStream(o.Seed, level))
		for i := range tables[level] {
			table := &tables[level][i]
			table.Bytes = int64(math.Round(float64(table.Records) * o.record(level)))
		}
	}
	return planned(tables)
}

// planned returns the shape of tables whose records are evenly spaced.
func planned(tables [lsm.NumLevels][]lsm.Table) *lsm.Shape {
	s := lsm.NewShape(tables)
	s.EvenTables = true
	return s
}

// stream draws random numbers, which depend on the seed and level only.
type stream struct{ source *rand.PCG }

func newStream(seed uint64, level int) stream {
	return stream{rand.NewPCG(seed, uint64(level))}
}

// uniform returns a number uniform in (0, 1).
func (s stream) uniform() float64 {
	return (float64(s.source.Uint64()>>11) + 0.5) / (1 << 53)
}

// normal returns a normal number with mean 0 and deviation 1 (Box and Muller).
func (s stream) normal() float64 {
	return math.Sqrt(-2*math.Log(s.uniform())) * math.Cos(2*math.Pi*s.uniform())
}

// exponential returns an exponential number with mean 1.
func (s stream) exponential() float64 { return -math.Log(s.uniform()) }
