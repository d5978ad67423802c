package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/record"
	"getio/report/study"
)

// sizedRun is a run in a database of that many keys with a cache of 1% of it.
func sizedRun(path string, keys uint64, ios float64, worst int64, option string) *record.Result {
	yes := true
	return &record.Result{
		Engine:    record.Engine{Name: "pebblev1", Options: map[string]string{"block_size": option}},
		Dataset:   record.Dataset{Path: path, Keys: keys, Bytes: int64(keys) * 100},
		Shape:     &lsm.Shape{Levels: []lsm.Level{{Level: 6, Records: int64(keys)}}, WorstCaseReads: worst},
		Cache:     record.Cache{Bytes: int64(keys)},
		Workload:  record.Made{Kind: "uniform", HitFraction: 1, Gets: 100},
		IOsPerGet: record.IOsPerGet{Mean: ios, Steady: &yes, Windows: []float64{ios}},
		Checks:    readpath.Checks{{Name: "regions", OK: true}},
	}
}

func keysLines(results ...*record.Result) []Line {
	return chartOf(study.New(record.Set{Results: results}), "keys").Lines
}

// TestOnlyLikeIsCompared: databases of different configurations are not one line; lines
// of two configurations have names and worst cases of their own.
func TestOnlyLikeIsCompared(t *testing.T) {
	assert.Nil(t, keysLines(sizedRun("a", 1e6, 1.1, 5, "4KiB"), sizedRun("b", 1e7, 9.5, 9, "64KiB")))
	after, beside := sizedRun("a", 1e6, 1.1, 5, "4KiB"), sizedRun("b", 1e7, 9.5, 9, "4KiB")
	after.Workload.Updates, beside.Workload.Updates, beside.Updates = 7, 9, &record.Updates{Writes: 2}
	assert.Nil(t, keysLines(after, beside))
	lines := keysLines(sizedRun("a", 1e6, 1.1, 5, "4KiB"), sizedRun("b", 1e7, 1.2, 7, "4KiB"),
		sizedRun("c", 1e6, 2.1, 6, "64KiB"), sizedRun("d", 1e7, 2.2, 8, "64KiB"))
	want := map[string][2]float64{
		"cache of 1.00% (a; b)": {1.1, 1.2}, "cache of 1.00% (c; d)": {2.1, 2.2},
		"worst case (a; b)": {5, 7}, "worst case (c; d)": {6, 8},
	}
	for _, l := range lines {
		ys, ok := want[l.Name]
		if ok && (len(l.Points) != 2 || l.Points[0].Y != ys[0] || l.Points[1].Y != ys[1]) {
			t.Errorf("%s: %+v, want %v", l.Name, l.Points, ys)
		}
		delete(want, l.Name)
	}
	assert.Empty(t, want)
}

// TestNothingGrowsFromOneKey: the logarithm of one is 0.
func TestNothingGrowsFromOneKey(t *testing.T) {
	lines := keysLines(sizedRun("a", 1, 1, 3, "4KiB"), sizedRun("b", 1e7, 1.2, 7, "4KiB"))
	require.NotZero(t, len(lines), "no lines at all")
	for _, l := range lines {
		assert.NotContains(t, l.Name, "log N")
	}
}

// TestWhatIsAbsentIsNoZero: a run without components adds no point to a stack.
func TestWhatIsAbsentIsNoZero(t *testing.T) {
	a, b := sizedRun("a", 1e6, 1.1, 5, "4KiB"), sizedRun("a", 1e6, 1.5, 5, "4KiB")
	a.Components = map[string]record.Component{"data": {Accesses: new(int64(100)), Misses: 50}}
	b.Cache.Bytes *= 2
	assert.Len(t, chartOf(study.New(record.Set{Results: []*record.Result{a, b}}), "misses").Lines[0].Points, 1)
}
