package growth

import (
	"math"

	"getio/tree/lsm"
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

// levelPlan is what one level holds, and where.
type levelPlan struct {
	records     uint64
	count       int     // of tables
	from, to    float64 // part of the key space that the tables and gaps fill
	arrangement arrangement
}

// plan has a levelPlan for every level.
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

// planned is the shape of tables in which records lie evenly.
func planned(tables [lsm.NumLevels][]lsm.Table) *lsm.Shape {
	s := lsm.NewShape(tables)
	s.EvenTables = true
	return s
}
