package report

import (
	"testing"

	"getio/record"
)

func TestRecommend(t *testing.T) {
	rec := Recommend(sweepOf(shapes["small"], 225, 1.03, 45, 1.97, 210, 1.04, 32, 2.25))
	requireCache(t, rec.Two.Cache, 45)
	requireCache(t, rec.One.Cache, 210)
	if rec.Two.Smallest || rec.One.Smallest || rec.Two.Closest != nil {
		t.Errorf("smaller caches were measured, and both targets were reached: %+v", rec)
	}
}

// TestRecommendLimits: a mean at the limit reaches the target.
func TestRecommendLimits(t *testing.T) {
	rec := Recommend(sweepOf(shapes["small"], 10, 2.051, 20, 2.05, 30, 1.11, 40, 1.1))
	requireCache(t, rec.Two.Cache, 20)
	requireCache(t, rec.One.Cache, 40)
}

func TestRecommendNamesTheClosest(t *testing.T) {
	rec := Recommend(sweepOf(shapes["small"], 10, 1.9, 20, 1.4, 30, 1.5))
	requireCache(t, rec.Two.Cache, 10)
	if !rec.Two.Smallest {
		t.Error("10 MiB is the smallest cache that was measured")
	}
	if rec.One.Cache != nil {
		t.Errorf("%+v reaches about 1", rec.One.Cache)
	}
	requireCache(t, rec.One.Closest, 20)
}

func TestRecommendLeavesOutWhatDoesNotCount(t *testing.T) {
	results := sweepOf(shapes["small"], 10, 1.9, 20, 1.9, 30, 1.9, 40, 1.95)
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
	results := sweepOf(shapes["small"], 20, 1.9, 10, 1.9)
	Recommend(results)
	requireCache(t, results[0], 20)
}

func requireCache(t *testing.T, r *record.Result, mib int64) {
	t.Helper()
	if r == nil || r.Cache.Bytes != mib<<20 {
		t.Errorf("got %+v, want the measurement at %d MiB", r, mib)
	}
}
