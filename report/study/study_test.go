package study

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/record"
)

// measurement returns one in the given database and engine, changed by the functions.
func measurement(path, engine string, mib int64, change ...func(*record.Result)) *record.Result {
	r := sweepOf(float64(mib), 1.5)[0]
	r.Dataset = record.Dataset{Path: path, Kind: "natural", Keys: 1_000_000, Bytes: 1 << 30}
	r.Engine = record.Engine{Name: engine, Options: map[string]string{"block_size": "4KiB"}}
	r.Shape = &lsm.Shape{Levels: []lsm.Level{{Level: 6, Tables: 3, Records: 1_000_000}}}
	for _, c := range change {
		c(r)
	}
	return r
}

func option(name, value string) func(*record.Result) {
	return func(r *record.Result) { r.Engine.Options = map[string]string{name: value} }
}

func pageCache(state string) func(*record.Result) {
	return func(r *record.Result) { r.Device.PageCache = state }
}

func warmup(rule string) func(*record.Result) {
	return func(r *record.Result) { r.Workload.WarmupRule = rule }
}

// traced is a run of a trace after some of its Gets.
func traced(warmup int64) func(*record.Result) {
	return func(r *record.Result) {
		r.Workload.Trace, r.Workload.TraceSHA256 = "t", "s"
		r.Workload.WarmupGets, r.Workload.WarmupRule = warmup, fmt.Sprint(warmup)
	}
}

func shards(n int) func(*record.Result) {
	return func(r *record.Result) { r.Cache.Shards = n }
}

func TestCurvesAreOfOneKind(t *testing.T) {
	failed := measurement("data/a", "pebblev1", 16, func(r *record.Result) { r.Checks[0].OK = false })
	s := New(record.Set{Results: []*record.Result{
		measurement("data/a", "pebblev1", 8, func(r *record.Result) { r.Workload.Seed, r.Workload.Gets, r.Cache.Shards = 7, 9, 64 }),
		measurement("data/a", "pebblev1", 4),
		measurement("data/a", "pebblev2", 4),
		failed,
	}})
	require.Len(t, s.Curves, 2)
	c := s.Curves[0]
	if len(c.Runs) != 2 || c.Runs[0].Cache.Bytes != 4<<20 || c.Runs[1].Cache.Bytes != 8<<20 {
		t.Errorf("the first curve's runs: %+v", c.Runs)
	}
	if len(c.Failed) != 1 || len(c.Recommendation.Failed) != 1 {
		t.Errorf("failed runs: %+v, not counted: %+v", c.Failed, c.Recommendation.Failed)
	}
	if c.Keys() != 1_000_000 || c.Bytes() != 1<<30 {
		t.Errorf("%d keys in %d bytes", c.Keys(), c.Bytes())
	}
}

// TestWarmupsOfACurveDiffer: how many of the warm-up's Gets have chosen keys depends on the cache, and
// how many Gets are measured on what they show.
func TestWarmupsOfACurveDiffer(t *testing.T) {
	gets := func(chosen int64, rule string) func(*record.Result) {
		return func(r *record.Result) { r.Workload.WarmupChosenGets, r.Workload.GetsRule = chosen, rule }
	}
	s := New(record.Set{Results: []*record.Result{
		measurement("a", "pebblev2", 4, gets(1094, record.GetsAuto)), measurement("a", "pebblev2", 8, gets(1250, record.GetsAuto)),
		measurement("a", "pebblev2", 16, gets(1511, "")),
	}})
	require.Len(t, s.Curves, 1)
	assert.Len(t, s.Curves[0].Runs, 3)
	a, b := compared("d:A", "e:B", record.MetricIOs, 5, 1, 1), compared("d:A", "e:B", record.MetricIOs, 9, 1, 1)
	b.Workload.WarmupChosenGets = 1250
	assert.Len(t, New(record.Set{Comparisons: []*record.Comparison{a, b}}).Comparisons, 1)
}

func TestNamesTellCurvesApart(t *testing.T) {
	absent := func(r *record.Result) { r.Workload.HitFraction = 0.5 }
	for _, c := range []struct {
		of   []*record.Result
		want []string
	}{
		{[]*record.Result{measurement("data/a", "pebblev1", 4)}, []string{"a"}},
		{[]*record.Result{measurement("x/a", "pebblev1", 4), measurement("x/b", "pebblev2", 4)}, []string{"a", "b"}},
		{[]*record.Result{measurement("a", "pebblev1", 4), measurement("a", "pebblev2", 4), measurement("b", "pebblev1", 4)},
			[]string{"a, pebblev1", "a, pebblev2", "b"}},
		{[]*record.Result{measurement("a", "pebblev1", 4), measurement("a", "pebblev1", 4, absent)}, []string{"a", "a, 50.0% absent keys"}},
		{[]*record.Result{measurement("a", "pebblev1", 4, pageCache("cached")), measurement("a", "pebblev1", 4, pageCache("bypassed"))},
			[]string{"a, page cache cached", "a, page cache bypassed"}},
		{[]*record.Result{measurement("a", "pebblev1", 4), measurement("a", "pebblev1", 4, func(r *record.Result) { r.Device.Modelled = &record.ModelledDevice{IOPS: 3000, GetsPerSecond: 7} })},
			[]string{"a", "a, 3,000 IOPS"}},
		{[]*record.Result{measurement("a", "pebblev1", 4), measurement("a", "pebblev1", 4, timed(0)), measurement("a", "pebblev1", 4, timed(20_000))},
			[]string{"a", "a, 20,000 Gets due per second"}},
		{[]*record.Result{measurement("a", "pebblev1", 4), measurement("a", "pebblev1", 8, func(r *record.Result) { r.Workload.Workers = 9 })},
			[]string{"a, 0 workers", "a, 9 workers"}},
		{[]*record.Result{measurement("a", "pebblev1", 4, warmup("auto")), measurement("a", "pebblev1", 8, warmup("0.05%"))},
			[]string{"a", "a, warm-up 0.05%"}},
		{[]*record.Result{measurement("a", "pebblev1", 4, traced(1000)), measurement("a", "pebblev1", 8, traced(5000))},
			[]string{"a, warm-up 1000", "a, warm-up 5000"}},
		{[]*record.Result{measurement("a", "pebblev1", 4, shards(4)), measurement("a", "pebblev1", 8, shards(8)), measurement("a", "pebblev1", 4, shards(1))},
			[]string{"a, 4 shards", "a, 1 shard"}},
		{[]*record.Result{measurement("x/a", "pebblev1", 4), measurement("y/a", "pebblev1", 4)}, []string{"a, x/a", "a, y/a"}},
		{[]*record.Result{measurement("a", "pebblev1", 4), measurement("a", "pebblev1", 4, option("block_size", "8KiB"))},
			[]string{"a, block_size=4KiB", "a, block_size=8KiB"}},
		{[]*record.Result{measurement("a", "pebblev1", 4), measurement("a", "pebblev1", 4, func(r *record.Result) { r.Dataset.Seed = 2 })},
			[]string{"a", "a (2)"}},
		{[]*record.Result{measurement("a (2)", "pebblev1", 4), measurement("a", "pebblev1", 4), measurement("a", "pebblev1", 4, func(r *record.Result) { r.Dataset.Seed = 2 })},
			[]string{"a (2)", "a", "a (3)"}},
	} {
		var names []string
		for _, curve := range New(record.Set{Results: c.of}).Curves {
			names = append(names, curve.Name)
		}
		assert.Equal(t, c.want, names)
	}
}

// TestPredictionsFindTheirCurve: those of another tree, engine or mix of keys are a curve
// of their own.
func TestPredictionsFindTheirCurve(t *testing.T) {
	r := measurement("data/a", "pebblev1", 4)
	tree := *r.Shape // another copy of the same tree
	other := lsm.Shape{Levels: []lsm.Level{{Level: 6, Tables: 4}}}
	predict := func(shape *lsm.Shape, library string, hits float64, mib int64) *record.Prediction {
		return &record.Prediction{Source: "large", Library: library, Shape: shape, Cache: record.PredictedCache{Bytes: mib << 20},
			Workload: record.Simulated{Kind: "uniform", HitFraction: hits}}
	}
	s := New(record.Set{Results: []*record.Result{r}, Predictions: []*record.Prediction{
		predict(&tree, "pebblev1", 1, 8), predict(&tree, "pebblev1", 1, 2), predict(&other, "pebblev1", 1, 2), predict(&other, "pebblev1", 1, 4),
		predict(&tree, "pebblev2", 1, 2), predict(&tree, "pebblev1", 0, 2),
	}})
	var got [][2]int
	for _, c := range s.Curves {
		got = append(got, [2]int{len(c.Runs), len(c.Predictions)})
	}
	assert.Equal(t, [][2]int{{1, 2}, {0, 2}, {0, 1}, {0, 1}}, got)
	assert.EqualValues(t, 2<<20, s.Curves[0].Predictions[0].Cache.Bytes, "predictions are not in the order of their caches")
	for _, c := range s.Curves[1:] {
		if c.Shape() == nil || c.Keys() != c.Shape().Total().Records {
			t.Errorf("%s: keys %d", c.Name, c.Keys())
		}
	}
}

// TestPredictionsAreOfTreesWithoutUpdates: they do not join Gets beside updates.
func TestPredictionsAreOfTreesWithoutUpdates(t *testing.T) {
	beside := measurement("data/a", "pebblev1", 4, func(r *record.Result) { r.Updates = &record.Updates{} })
	s := New(record.Set{Results: []*record.Result{beside}, Predictions: []*record.Prediction{
		{Source: "large", Library: "pebblev1", Shape: beside.Shape, Workload: record.Simulated{Kind: "uniform", HitFraction: 1}},
	}})
	if len(s.Curves) != 2 || len(s.Curves[0].Predictions) != 0 {
		t.Errorf("%d curves, the first with %d predictions", len(s.Curves), len(s.Curves[0].Predictions))
	}
}

// timed times a run's Gets, due at a rate if it is not 0.
func timed(rate int64) func(*record.Result) {
	return func(r *record.Result) { r.Latency = &record.Latency{Rate: rate} }
}

// TestRunWithSingleGetsCounts before a later one of as many Gets without them.
func TestRunWithSingleGetsCounts(t *testing.T) {
	distributed := func(r *record.Result) { r.Distribution = record.NewDistribution([]int64{1}, 0) }
	later := func(r *record.Result) { r.Time = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) }
	both := measurement("a", "pebblev1", 4, distributed, timed(0))
	c := New(record.Set{Results: []*record.Result{measurement("a", "pebblev1", 4, distributed), both, measurement("a", "pebblev1", 4, later)}}).Curves[0]
	if len(c.Runs) != 1 || c.Runs[0] != both || len(c.Superseded) != 2 {
		t.Errorf("runs %+v, others %+v", c.Runs, c.Superseded)
	}
}

// TestOneRunOfASizeCounts of several: the steady one, of most Gets, then the latest.
func TestOneRunOfASizeCounts(t *testing.T) {
	at := func(minute int, mean float64) *record.Result {
		return measurement("a", "pebblev1", 4, func(r *record.Result) {
			r.Time, r.IOsPerGet.Mean = time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC), mean
		})
	}
	c := New(record.Set{Results: []*record.Result{at(3, 1.3), at(1, 1.1), at(2, 1.2), measurement("a", "pebblev1", 8)}}).Curves[0]
	if len(c.Runs) != 2 || c.Runs[0].IOsPerGet.Mean != 1.3 || len(c.Superseded) != 2 || len(c.Measurements()) != 4 {
		t.Errorf("runs %+v, others %+v", c.Runs, c.Superseded)
	}
	long, restless := at(1, 1.4), at(9, 1.5)
	long.Workload.Gets *= 2
	restless.Workload.Gets *= 9
	restless.IOsPerGet.Steady = new(bool)
	c = New(record.Set{Results: []*record.Result{at(3, 1.3), long, restless}}).Curves[0]
	if len(c.Runs) != 1 || c.Runs[0] != long {
		t.Errorf("the steady run of most Gets does not count, but %+v", c.Runs)
	}
}

// TestPredictionsOfOtherKeysAreApart: keys of a file are not uniform, and an unknown tree
// matches none.
func TestPredictionsOfOtherKeysAreApart(t *testing.T) {
	fromFile := measurement("a", "pebblev1", 4, func(r *record.Result) { r.Workload.KeysFile, r.Workload.KeysSHA256 = "hot.txt", "abc" })
	shapeless := measurement("b", "pebblev1", 4, func(r *record.Result) { r.Shape = nil })
	uniform := record.Simulated{Kind: "uniform", HitFraction: 1}
	s := New(record.Set{Results: []*record.Result{fromFile, shapeless}, Predictions: []*record.Prediction{
		{Source: "x/a/db", Library: "pebblev1", Shape: fromFile.Shape, Workload: uniform},
		{Source: "b", Library: "pebblev1", Workload: uniform},
	}})
	assert.Len(t, s.Curves, 4)
	assert.Equal(t, "a", s.Curves[2].Name)
}
