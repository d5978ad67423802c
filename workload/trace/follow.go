package trace

import (
	"errors"
	"fmt"

	"getio/workload"
)

// Follow returns the workload of a run that makes the trace's operations: their kind and number and, unless ownWarmup,
// the trace's warm-up.
func (f *File) Follow(w workload.Workload, ownWarmup bool) (workload.Workload, error) {
	if err := f.RequireKeys(); err != nil {
		return w, err
	}
	if n := f.Sampled(); n > 1 {
		return w, fmt.Errorf("%s has the Gets of one in %d neighbourhoods of keys, for which no real cache has the right size: 'getio curve' computes what all Gets do", f.Path, n)
	}
	if !ownWarmup {
		w.Warmup = workload.WarmupGets(f.Warmup)
	}
	warmup, known := w.Warmup.Number()
	if !known {
		return w, errors.New("--warmup of a trace must be a number of its operations: give one, or leave it to the trace")
	}
	if w.Operation = (workload.Operation{}); !f.Kind.IsGet() {
		w.Operation = workload.Operation{Kind: f.Kind, Records: f.Records}
	}
	var err error
	w.Gets, err = f.Measured(warmup, w.Gets)
	return w, err
}
