package growth

import "getio/lsm"

// lastLevel is L6, whose tables together cover the whole key space.
const lastLevel = lsm.NumLevels - 1

// Of returns the tree that keys random keys grow into, written in random order
// and settled. Of each table it gives level, sublevel, bounds (the first 8
// bytes of the key range, both ends inside) and number of records.
func Of(keys uint64, o Options) (*lsm.Shape, error) {
	if err := o.check(keys); err != nil {
		return nil, err
	}
	var tables [lsm.NumLevels][]lsm.Table
	for level, t := range o.levels(keys) {
		tables[level] = t.tables(newStream(o.Seed, level))
	}
	return lsm.NewShape(tables), nil
}

// total is what one level holds.
type total struct {
	level   int
	depth   int // levels below the base level; 0 is the base level itself
	records uint64
	count   int // of tables
}
