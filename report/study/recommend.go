package study

import (
	"math"
	"slices"

	"getio/record"
)

// Means that count as about two and about one I/O per Get.
const (
	aboutTwo = 2.05
	aboutOne = 1.1
)

// Recommendation is which cache to take, by the measurements.
type Recommendation struct {
	Two Target // about 2 I/Os per Get: index and data block
	One Target // about 1 I/O per Get: the data block alone

	// Measurements that count only for a provisional answer: not steady and not falling, or too short to tell. Those with
	// failed self-checks never count.
	Failed, Unsteady, Unknown []*record.Result
}

// Target is a wanted number of I/Os per Get.
type Target struct {
	IOsPerGet int     // the round number
	Limit     float64 // the mean that still counts as reaching it
	// Cache is the measurement with the smallest cache from which on all reach the target. Nil if
	// there is none; then Closest is the one that comes closest, if any counts.
	Cache, Closest *record.Result
	// Provisional: the answer relies on runs that are not known to be steady.
	Provisional bool
	// Smallest: no smaller cache has a measurement that counts, so a smaller one might reach the target too.
	Smallest bool
}

// Recommend picks the caches from measurements of one database. A continued run counts with its
// last figure, and a falling one with its figure so far: with more Gets it would be lower.
func Recommend(results []*record.Result) Recommendation {
	var rec Recommendation
	var counted, measured []*record.Result
	for _, r := range BySize(results) {
		if r.Checks.Hold() && r.Measured() {
			measured = append(measured, r)
		}
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
	rec.Two = recommended(Target{IOsPerGet: 2, Limit: aboutTwo}, counted, measured)
	rec.One = recommended(Target{IOsPerGet: 1, Limit: aboutOne}, counted, measured)
	return rec
}

// recommended fills in a target from the measurements that count or, if none of them reaches it, from all of them.
func recommended(t Target, counted, measured []*record.Result) Target {
	if sure := smallestCache(t, counted); sure.Cache != nil || len(counted) == len(measured) {
		return sure
	}
	t.Provisional = true
	return smallestCache(t, measured)
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
