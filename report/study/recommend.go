package study

import (
	"math"
	"slices"

	"getio/record"
)

// What counts as about two, and about one, I/O per Get.
const (
	aboutTwo = 2.05
	aboutOne = 1.1
)

// Recommendation is which cache to take, as far as measurements tell.
type Recommendation struct {
	Two Target // about 2 I/Os per Get: index and data block
	One Target // about 1 I/O per Get: the data block alone

	// The measurements that do not count: runs whose self-checks failed, those
	// that had not come to rest and were not falling, and those too short to tell.
	Failed, Unsteady, Unknown []*record.Result
}

// Target is a number of I/Os per Get to be reached.
type Target struct {
	IOsPerGet int     // the round number
	Limit     float64 // the mean that still counts as reaching it
	// Cache is the measurement with the smallest cache from which on all reach it.
	// Nil if there is none; then Closest is the one that comes closest, if any counts.
	Cache, Closest *record.Result
	// Smallest tells that no smaller cache was measured that counts, so that a
	// smaller one might reach the target too.
	Smallest bool
}

// Recommend picks the caches out of measurements of one database. A run that was
// continued counts with what it came to, and one that still falls with what it has
// come to so far: with more Gets it will be less.
func Recommend(results []*record.Result) Recommendation {
	var rec Recommendation
	var counted []*record.Result
	for _, r := range BySize(results) {
		switch {
		case !r.Checks.Hold():
			rec.Failed = append(rec.Failed, r)
		case !r.Measured() || r.Last().Steady == nil:
			rec.Unknown = append(rec.Unknown, r)
		case !r.EndsSteady() && !r.Last().StillFalling():
			rec.Unsteady = append(rec.Unsteady, r)
		default:
			counted = append(counted, r)
		}
	}
	rec.Two = smallestCache(Target{IOsPerGet: 2, Limit: aboutTwo}, counted)
	rec.One = smallestCache(Target{IOsPerGet: 1, Limit: aboutOne}, counted)
	return rec
}

// smallestCache fills in a target; counted is sorted by cache size.
func smallestCache(t Target, counted []*record.Result) Target {
	lowest := math.Inf(1)
	for i, r := range slices.Backward(counted) {
		if r.Last().Mean <= t.Limit {
			t.Cache, t.Smallest = r, i == 0
		} else if !r.Last().StillFalling() { // one that falls may yet come to reach it
			break
		}
	}
	for _, r := range counted {
		if mean := r.Last().Mean; t.Cache == nil && mean < lowest {
			t.Closest, lowest = r, mean
		}
	}
	return t
}
