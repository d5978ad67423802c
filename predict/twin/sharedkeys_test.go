package twin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/predict/cachesim"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// TestSharedKeysMatchSimulation compares the accesses per Get that are computed with simulated ones, where
// runs share keys.
func TestSharedKeysMatchSimulation(t *testing.T) {
	above, upper := lsm.SortedRun{Level: 0, Sublevel: 1}, lsm.SortedRun{Level: 0}
	middle, last := lsm.SortedRun{Level: 5}, lsm.SortedRun{Level: 6}
	shape := shapeOf(map[int][]lsm.Table{
		0: {small(9, 20, 50), small(10, 0, 99)},
		5: {small(7, 10, 40), small(8, 60, 90)},
		6: {small(1, 0, 30), small(2, 31, 70), small(3, 71, 99)},
	})
	shape.Levels[0].TableList[1].Sublevel = 1
	shape.SharedKeys = []lsm.SharedKeys{
		{Of: above, In: upper, Share: 0.2}, {Of: upper, In: above, Share: 0.4}, {Of: upper, In: last, Share: 1},
		{Of: last, In: above, Share: 0.3}, {Of: last, In: upper, Share: 0.2}, {Of: last, In: middle, Share: 0.4},
		{Of: middle, In: last, Share: 0.9}, {Of: middle, In: upper, Share: 0.3},
	}
	for name, library := range map[string]Library{
		"Pebble": PebbleV2, "Pebble 1": PebbleV1, "LevelDB": LevelDB(cachesim.LevelDB{}),
	} {
		for _, absent := range []float64{0, 0.3} {
			tree := newTree(t, shape, Options{Library: library, BlockBytes: alike(4000)})
			var simulated [readpath.NumComponents]float64
			for a, n := range accesses(t, tree, Workload{Seed: 1, Absent: absent}, 200_000) {
				simulated[a.Component] += n
			}
			for c, computed := range NewSteady(tree, absent).Accesses() {
				assert.InDelta(t, simulated[c], computed, 0.01, "%s, %v absent: component %d", name, absent, c)
			}
		}
	}
}

// TestSharedKeysWithOnePrefix: tables whose keys are alike in their first 64 bits share as many keys as the shape says.
func TestSharedKeysWithOnePrefix(t *testing.T) {
	shape := shapeOf(map[int][]lsm.Table{5: {small(1, 7, 7)}, 6: {small(2, 7, 7), small(3, 7, 7)}})
	shape.SharedKeys = []lsm.SharedKeys{{Of: lsm.SortedRun{Level: 6}, In: lsm.SortedRun{Level: 5}, Share: 0.3}}
	tree := newTree(t, shape, Options{Library: PebbleV2, BlockBytes: alike(4000)})
	data := map[uint32]float64{} // accesses by table
	for a, n := range accesses(t, tree, Workload{Seed: 1}, 100_000) {
		if a.Component == readpath.Data {
			data[a.table] += n
		}
	}
	// A third of the records are in L5, and three tenths of the others too. False positives are few.
	assert.InDelta(t, 1.0/3+0.3*2/3, data[0], 0.01)
	assert.InDelta(t, 0.7*2/3, data[1]+data[2], 0.01)
	var found [3]float64
	tree.visits(0, func(p *table, v visits) { found[p.number] = v.found })
	assert.InDeltaSlice(t, []float64{1.0/3 + 0.3*2/3, 0.7 / 3, 0.7 / 3}, found[:], 1e-9)
}
