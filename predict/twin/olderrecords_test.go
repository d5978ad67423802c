package twin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/predict/cachesim"
	"getio/workload"
)

// TestOlderRecordsMatchSimulation compares the accesses per Get that are computed with simulated ones, where
// Gets go on to older records, some records are not live, and tables have range deletions.
func TestOlderRecordsMatchSimulation(t *testing.T) {
	above, upper := lsm.SortedRun{Level: 0, Sublevel: 1}, lsm.SortedRun{Level: 0}
	middle, last := lsm.SortedRun{Level: 5}, lsm.SortedRun{Level: 6}
	deletes, onlyDeletes := small(8, 60, 90), small(11, 41, 59)
	deletes.RangeDeletionBytes, deletes.LiveRecords = 700, new(int64(300))
	onlyDeletes.RangeDeletionBytes, onlyDeletes.Records, onlyDeletes.DataBlocks, onlyDeletes.IndexBlocks = 900, 0, 0, 0
	onlyDeletes.IndexBytes, onlyDeletes.FilterBytes = 0, 0
	shape := shapeOf(map[int][]lsm.Table{
		0: {small(9, 20, 50), small(10, 0, 99)},
		5: {small(7, 10, 40), onlyDeletes, deletes},
		6: {small(1, 0, 30), small(2, 31, 70), small(3, 71, 99)},
	})
	shape.Levels[0].TableList[1].Sublevel = 1
	shape.OlderRecords = []lsm.OlderRecords{
		{Of: above, In: upper, Visits: 0.5, Finds: 0.2}, {Of: above, In: middle, Visits: 0.4, Finds: 0.1},
		{Of: above, In: last, Visits: 0.4, Finds: 0.3}, {Of: middle, In: last, Visits: 0.9, Finds: 0.8},
	}
	for name, library := range map[string]Library{
		"Pebble": PebbleV2, "Pebble 1": PebbleV1, "LevelDB": LevelDB(cachesim.LevelDB{}),
	} {
		for _, absent := range []float64{0, 0.3} {
			tree := newTree(t, shape, Options{Library: library, BlockBytes: alike(4000)})
			assert.EqualValues(t, 6300, tree.Records())
			var simulated readpath.Means
			for a, n := range accesses(t, tree, workload.Keys{Seed: 1, Absent: absent}, 200_000) {
				simulated[a.Component] += n
			}
			for c, computed := range NewSteady(tree, absent).Accesses() {
				assert.InDelta(t, simulated[c], computed, 0.01, "%s, %v absent: component %d", name, absent, c)
			}
		}
	}
}

// TestOlderRecordsWithOnePrefix: tables whose keys are alike in their first 64 bits have as many older records as the
// shape says.
func TestOlderRecordsWithOnePrefix(t *testing.T) {
	shape := shapeOf(map[int][]lsm.Table{5: {small(1, 7, 7)}, 6: {small(2, 7, 7), small(3, 7, 7)}})
	shape.OlderRecords = []lsm.OlderRecords{{Of: lsm.SortedRun{Level: 5}, In: lsm.SortedRun{Level: 6}, Visits: 0.5, Finds: 0.3}}
	tree := newTree(t, shape, Options{Library: PebbleV2, BlockBytes: alike(4000)})
	tree.err(0)
	data := map[uint32]float64{} // accesses by table
	for a, n := range accesses(t, tree, workload.Keys{Seed: 1}, 100_000) {
		if a.Component == readpath.Data {
			data[a.table] += n
		}
	}
	assert.InDelta(t, 1.0/3, data[0], 0.01)
	assert.InDelta(t, 1.0/3+0.3/3, data[1], 0.01)
	var found [3]float64
	tree.visits(0, func(p *table, v visits) { found[p.number] = v.found })
	assert.InDeltaSlice(t, []float64{1.0 / 3, 1.0/3 + 0.3/3, 1.0 / 3}, found[:], 1e-9)
}
