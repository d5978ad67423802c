package scenario

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"getio/measure/keysource"
	"getio/numbers/wyrand"
	"getio/record"
	"getio/workload"
	"getio/workload/trace"
)

// traced returns the keys of a trace as numbers, equal for equal keys and spread over all 64 bits, in
// its order. What the keys are does not matter: they are placed anywhere in the tree. failed returns
// what went wrong while reading.
func traced(f *trace.File) (next func() uint64, failed func() error, err error) {
	r, err := trace.NewReader(f.Path)
	if err != nil {
		return nil, nil, err
	}
	var o trace.Operation
	next = func() uint64 {
		if err == nil {
			err = r.Next(&o)
		}
		if err != nil {
			return 0
		}
		hash := fnv.New64a()
		hash.Write(o.Keys[0].Bytes)
		return wyrand.New(hash.Sum64()).Uint64() // FNV mixes its high bits too little
	}
	failed = func() error {
		if err == io.EOF {
			err = fmt.Errorf("%s: %w", f.Path, trace.ErrChanged)
		}
		return errors.Join(err, r.Close())
	}
	return next, failed, nil
}

// SimulateTrace is Simulate for the Gets of a trace, which may have hashes in place of keys. Its own
// warm-up is made unless ownWarmup.
func (s *Scenario) SimulateTrace(ctx context.Context, sim Simulation, f *trace.File, ownWarmup bool, sizes []int64) (list []*record.Prediction, err error) {
	if f.Kind != workload.Get || f.Sampled() > 1 {
		return nil, fmt.Errorf("%s is not a trace of all Gets of its keys: a sample goes with 'getio curve', other operations with 'getio measure'", f.Path)
	}
	if sim.Most > 0 {
		return nil, errors.New("--until-steady cannot be combined with a trace, which ends: leave one out")
	}
	if !ownWarmup {
		sim.Warmup = Warmup{Gets: f.Warmup}
	}
	if sim.Gets, err = f.Measured(sim.Warmup.of(int64(s.Tree.Records())), sim.Gets); err != nil {
		return nil, err
	}
	next, failed, err := traced(f)
	if err != nil {
		return nil, err
	}
	sim.asked = next
	list, err = s.Simulate(ctx, sim, sizes)
	if err := errors.Join(err, failed()); err != nil {
		return nil, err
	}
	for _, p := range list {
		p.Workload.Kind, p.Workload.Trace, p.Workload.TraceSHA256 = keysource.KindTrace, f.Path, f.SHA256
	}
	return list, nil
}
