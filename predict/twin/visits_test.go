package twin

import (
	"math"
	"testing"

	"getio/engine/readpath"
	"getio/workload"
)

func TestOpeningsMatchSimulation(t *testing.T) {
	for _, library := range []Library{PebbleV1, PebbleV2} {
		tree := newTree(t, threeRuns(), Options{Library: library, BlockBytes: alike(4000)})
		all, most := 0.0, 0.0
		for a, n := range accesses(t, tree, workload.Keys{Seed: 1}, 200_000) {
			if a.Component == readpath.TopIndex {
				all, most = all+n, max(most, n)
			}
		}
		for open, want := range map[int]float64{0: all, 1: all - most, 6: 0, 99: 0} {
			if got := tree.Openings(open); math.Abs(got-want) > 0.01 {
				t.Errorf("%d tables open: %.4f openings per Get, simulated %.4f", open, got, want)
			}
		}
	}
}
