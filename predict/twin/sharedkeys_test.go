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
	above, upper, last := lsm.SortedRun{Level: 0, Sublevel: 1}, lsm.SortedRun{Level: 0}, lsm.SortedRun{Level: 6}
	shape := shapeOf(map[int][]lsm.Table{
		0: {small(9, 0, 99), small(10, 0, 99)},
		5: {small(7, 10, 40), small(8, 60, 90)},
		6: {small(1, 0, 30), small(2, 31, 70), small(3, 71, 99)},
	})
	shape.Levels[0].TableList[1].Sublevel = 1
	apart := newTree(t, shape, Options{Library: PebbleV2, BlockBytes: alike(4000)})
	shape.SharedKeys = []lsm.SharedKeys{
		{Of: above, In: upper, Share: 0.2}, {Of: upper, In: above, Share: 0.4}, {Of: upper, In: last, Share: 1},
		{Of: last, In: above, Share: 0.3}, {Of: last, In: upper, Share: 0.6},
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
	// Gets of keys of the last run stop above it with a probability of 1 - 0.7*0.4.
	shared := newTree(t, shape, Options{Library: PebbleV2, BlockBytes: alike(4000)})
	assert.InDelta(t, apart.arrivals(3, 3)*(1-0.3)*(1-0.6), shared.arrivals(3, 3), 1e-9)
	assert.Equal(t, 1.0, apart.arrivals(3, 3))
}
