package study

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/readpath"
	"getio/record"
)

func TestRecommend(t *testing.T) {
	rec := Recommend(sweepOf(225, 1.03, 45, 1.97, 210, 1.04, 32, 2.25))
	requireCache(t, rec.Two.Cache, 45)
	requireCache(t, rec.One.Cache, 210)
	if rec.Two.Smallest || rec.One.Smallest || rec.Two.Closest != nil {
		t.Errorf("smaller caches were measured, and both targets were reached: %+v", rec)
	}
}

// TestRecommendLimits: a mean at the limit reaches the target.
func TestRecommendLimits(t *testing.T) {
	rec := Recommend(sweepOf(10, 2.051, 20, 2.05, 30, 1.11, 40, 1.1))
	requireCache(t, rec.Two.Cache, 20)
	requireCache(t, rec.One.Cache, 40)
}

// TestRecommendTakesBounds: a falling figure is an upper bound.
func TestRecommendTakesBounds(t *testing.T) {
	results := sweepOf(10, 1.5, 20, 1.05, 30, 1.02)
	falling, rising := -0.02, 0.02
	results[1].IOsPerGet.Steady, results[1].IOsPerGet.Drift = new(bool), &falling
	results[2].IOsPerGet.Steady, results[2].IOsPerGet.Drift = new(bool), &rising
	rec := Recommend(results)
	requireCache(t, rec.One.Cache, 20)
	assert.Len(t, rec.Unsteady, 1)
}

// TestRecommendHoldsFromThereOn: a small cache does not reach a target that larger ones miss.
func TestRecommendHoldsFromThereOn(t *testing.T) {
	rec := Recommend(sweepOf(10, 2.04, 20, 2.4, 40, 2.3, 80, 1.9))
	requireCache(t, rec.Two.Cache, 80)
	assert.False(t, rec.Two.Smallest, "smaller caches were measured")
	if rec = Recommend(sweepOf(10, 2.04, 20, 2.4)); rec.Two.Cache != nil {
		t.Errorf("%+v reaches about 2", rec.Two.Cache)
	}
	requireCache(t, rec.Two.Closest, 10)
}

func TestRecommendNamesTheClosest(t *testing.T) {
	rec := Recommend(sweepOf(10, 1.9, 20, 1.4, 30, 1.5))
	requireCache(t, rec.Two.Cache, 10)
	assert.True(t, rec.Two.Smallest, "10 MiB is the smallest cache that was measured")
	assert.Nil(t, rec.One.Cache)
	requireCache(t, rec.One.Closest, 20)
}

func TestRecommendLeavesOutWhatDoesNotCount(t *testing.T) {
	results := sweepOf(10, 1.9, 20, 1.9, 30, 1.9, 40, 1.95)
	results[0].Checks[0].OK = false
	results[1].IOsPerGet.Steady = nil
	results[2].IOsPerGet.Steady = new(bool)
	rec := Recommend(results)
	requireCache(t, rec.Two.Cache, 40)
	if len(rec.Failed) != 1 || len(rec.Unknown) != 1 || len(rec.Unsteady) != 1 {
		t.Errorf("left out: %+v", rec)
	}
}

// TestRecommendKeepsItsInput: the caller's list is not sorted in place.
func TestRecommendKeepsItsInput(t *testing.T) {
	results := sweepOf(20, 1.9, 10, 1.9)
	Recommend(results)
	requireCache(t, results[0], 20)
}

func requireCache(t *testing.T, r *record.Result, mib int64) {
	t.Helper()
	if r == nil || r.Cache.Bytes != mib<<20 {
		t.Errorf("got %+v, want the measurement at %d MiB", r, mib)
	}
}

// TestRecommendGoesOn: a run that was continued until it was steady counts with its last figure.
func TestRecommendGoesOn(t *testing.T) {
	results := sweepOf(10, 1.3, 20, 1.05)
	results[0].IOsPerGet.Steady = new(bool)
	rest := sweepOf(10, 1.08)[0].IOsPerGet
	results[0].Continued = []record.Continuation{{IOsPerGet: rest}}
	rec := Recommend(results)
	requireCache(t, rec.One.Cache, 10)
	assert.Empty(t, rec.Unsteady)
}

// sweepOf returns a sweep over pairs of a cache size in MiB and a mean.
func sweepOf(pairs ...float64) (results []*record.Result) {
	for i := 0; i < len(pairs); i += 2 {
		steady := true
		results = append(results, &record.Result{
			Cache:     record.Cache{Bytes: int64(pairs[i]) << 20},
			Workload:  record.Made{Kind: "uniform", HitFraction: 1, Gets: 1000},
			IOsPerGet: record.IOsPerGet{Mean: pairs[i+1], Steady: &steady},
			Checks:    readpath.Checks{{Name: "regions", OK: true}},
		})
	}
	return results
}

// TestRecommendIsProvisional: where no steady run tells, those that are not known to be steady do.
func TestRecommendIsProvisional(t *testing.T) {
	results := sweepOf(10, 1.9, 20, 1.08, 30, 1.05)
	results[1].IOsPerGet.Steady = nil
	rising := 0.02
	results[2].IOsPerGet.Steady, results[2].IOsPerGet.Drift = new(bool), &rising
	rec := Recommend(results)
	requireCache(t, rec.Two.Cache, 10)
	assert.False(t, rec.Two.Provisional)
	requireCache(t, rec.One.Cache, 20)
	assert.True(t, rec.One.Provisional)
	results[1].Checks[0].OK = false
	requireCache(t, Recommend(results).One.Cache, 30)
	assert.False(t, Recommend(sweepOf(10, 3)).One.Provisional, "all runs count")
}
