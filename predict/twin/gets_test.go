package twin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/predict/cachesim"
	"getio/workload"
	"getio/workload/popularity"
)

func TestInvalidSimulations(t *testing.T) {
	tree := newTree(t, manyTables(), plainV1)
	refused := func(w workload.Keys, c Cache) {
		_, err := NewSimulation(tree, w, []Cache{c})
		assert.Error(t, err, "%+v with %+v is accepted", w, c)
	}
	for _, absent := range []float64{-0.1, 1.1, math.NaN()} {
		refused(workload.Keys{Absent: absent}, Cache{cachesim.NameClockPro, 1, 1, 1})
	}
	for _, zipf := range []float64{-1, math.Inf(1), math.NaN()} {
		refused(workload.Keys{Popularity: popularity.Popularity{Zipf: zipf}}, Cache{cachesim.NameClockPro, 1, 1, 1})
	}
	for _, c := range []Cache{
		{cachesim.NameClockPro, 0, 4, 4}, {cachesim.NameClockPro, 1, 0, 0}, {cachesim.NameClockPro, 1, 1 << 20, 1},
		{cachesim.NameClockPro, 1, 4, 5}, {cachesim.NameClockPro, 1, 4, 0}, {"arc", 1, 4, 4},
	} {
		refused(workload.Keys{}, c)
	}
}
