package compare

import "getio/record"

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
