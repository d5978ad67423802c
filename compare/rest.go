package compare

import (
	"getio/record"
	"getio/steady"
)

// Moves tells whether a side with such a drift is not steady: by the rule for single
// runs its drift is too much, and it is more than the spread of the rounds accounts for.
// In short runs the drift of each by itself is mostly noise, which does not go the
// same way in every round; a cache that is still filling does.
func Moves(drift record.Estimate) bool {
	return !steady.Is(drift.Mean) && drift.Excludes(0)
}

// drift is by how much the runs of a side moved, each over all of its Gets; nil if one
// is too short to tell.
func drift(runs []*record.Result) *record.Estimate {
	values := make([]float64, len(runs))
	for i, r := range runs {
		if r.IOsPerGet.Drift == nil {
			return nil
		}
		values[i] = *r.IOsPerGet.Drift
	}
	e := estimate(values)
	return &e
}
