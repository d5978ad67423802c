package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/numbers/units"
	"getio/numbers/wyrand"
	"getio/predict/memory"
	"getio/predict/twin"
	"getio/record"
	"getio/workload"
	"getio/workload/trace"
)

// Simulation says how the Gets of a scenario are simulated.
type Simulation struct {
	Gets      int64           // 0: the scenario's
	Warmup    workload.Warmup // not auto
	OwnWarmup bool            // use Warmup as it is; otherwise it grows until page caches have turned over
	Most      int64           // continue until steady, for at most that many Gets; 0: do not
	Shards    int             // 0: the scenario's
	AllShards bool            // simulate every shard, not a sample of many
	Policy    string          // of the cache; "": the library's own
	Memory    memory.Question // of device reads
	// Progress is called with the Gets done of the most there can be.
	Progress func(done, most int64)

	asked func() uint64 // as in twin.Plan
}

// ParseWarmup parses a number of Gets, or a share of the keys.
func ParseWarmup(s string) (workload.Warmup, error) {
	var err error
	if strings.HasSuffix(s, "%") {
		var share float64
		if share, err = units.ParseShare(s); err == nil && share > 100 {
			err = errors.New("out of range, want 0% to 10000%")
		}
	} else {
		_, err = units.ParseCount(s)
	}
	if err != nil {
		return workload.Warmup{}, fmt.Errorf("%w; want a number of Gets, or a share of the keys such as 0.05%%", err)
	}
	return workload.ParseWarmup(s)
}

const (
	// fewestSampled is the least number of shards whose differences estimate the sampling error.
	fewestSampled = 16
	// maxSimulated Gets take a day.
	maxSimulated = 1e11
)

// Simulate predicts the reads of the scenario's Gets with caches of the given sizes in bytes.
func (s *Scenario) Simulate(ctx context.Context, sim Simulation, sizes []int64) (list []*record.Prediction, err error) {
	divisions := s.divide(sim.Memory, sizes)
	if err := sim.Memory.Require(divisions); err != nil {
		return nil, err
	}
	plan, err := s.plan(sim, memory.Turnover(s.Shape.Total().Bytes, divisions...))
	if err != nil {
		return nil, err
	}
	plan.Memory = divisions
	var caches []twin.Cache
	for _, bytes := range sizes {
		cache := twin.Cache{Policy: cmp.Or(sim.Policy, s.library.Cache.Policy()), Bytes: bytes - s.Reserved, Shards: sim.Shards}
		if cache.Shards == 0 {
			cache.Shards = s.Shards(bytes)
		}
		if cache.Sampled = cache.Shards; cache.Shards >= 4*fewestSampled && !sim.AllShards {
			cache = s.Tree.Sample(cache, max(cache.Shards/16, fewestSampled))
		}
		caches = append(caches, cache)
	}
	most := max(plan.Warmup+plan.Gets, plan.Most)
	predictions, err := plan.Predict(ctx, s.Tree, s.Keys, caches, func(done int64) { sim.Progress(done, most) })
	if err != nil {
		return nil, err
	}
	for i := range predictions {
		r := s.Record(&predictions[i], plan)
		if memory.Turnover(s.Shape.Total().Bytes, r.Memory) > plan.Warmup {
			r.Warnings = append(slices.Clone(r.Warnings), memory.NotTurnedOver(plan.Warmup))
		}
		list = append(list, r)
	}
	return list, nil
}

// divide returns the divisions of memory for each cache; nil if device reads are not wanted.
func (s *Scenario) divide(machines memory.Question, sizes []int64) (divisions [][]record.PredictedMemory) {
	if len(machines.Sizes) == 0 {
		return nil
	}
	for _, bytes := range sizes {
		divisions = append(divisions, machines.Divide(bytes, s.library.Outside(s.Shape)))
	}
	return divisions
}

func (s *Scenario) plan(sim Simulation, turnover int64) (plan twin.Plan, err error) {
	plan = twin.Plan{Gets: sim.Gets, Warmup: sim.Warmup.Gets(int64(s.Tree.Records())), Most: sim.Most, Asked: sim.asked}
	if !sim.OwnWarmup {
		plan.Warmup = max(plan.Warmup, min(turnover, memory.MostTurnover))
	}
	if plan.Gets == 0 {
		plan.Gets = s.Gets
	}
	if made := plan.Warmup + plan.Gets; plan.Most > 0 && plan.Most < made {
		return plan, fmt.Errorf("--until-steady %d is less than the %s Gets that are made anyway: allow more, or fewer --gets", plan.Most, humanize.Comma(made))
	}
	if all := float64(plan.Warmup) + float64(plan.Gets); all > maxSimulated || plan.Most > maxSimulated {
		return plan, fmt.Errorf("more than %.0e Gets take too long to simulate: ask for fewer, or use --steady", float64(maxSimulated))
	}
	return plan, nil
}

// Steady computes the reads in the steady state of an ideal cache of the given sizes in bytes.
func (s *Scenario) Steady(sizes []int64) (list []*record.Prediction, err error) {
	if !s.Keys.Popularity.Uniform() {
		return nil, errors.New("--steady is for keys that are equally popular: leave out --zipf and --hotset, or simulate with --until-steady N")
	}
	steady := twin.NewSteady(s.Tree, s.Keys.Absent)
	for _, bytes := range sizes {
		list = append(list, s.SteadyRecord(steady, bytes-s.Reserved))
	}
	return list, nil
}

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
// warm-up is made unless OwnWarmup.
func (s *Scenario) SimulateTrace(ctx context.Context, sim Simulation, f *trace.File, sizes []int64) (list []*record.Prediction, err error) {
	if f.Kind != workload.Get || f.Sampled() > 1 {
		return nil, fmt.Errorf("%s is not a trace of all Gets of its keys: a sample goes with 'getio curve', other operations with 'getio measure'", f.Path)
	}
	if sim.Most > 0 {
		return nil, errors.New("--until-steady cannot be combined with a trace, which ends: leave one out")
	}
	if !sim.OwnWarmup {
		sim.Warmup, sim.OwnWarmup = workload.WarmupGets(f.Warmup), true
	}
	if sim.Gets, err = f.Measured(sim.Warmup.Gets(int64(s.Tree.Records())), sim.Gets); err != nil {
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
		p.Workload.Kind, p.Workload.Trace, p.Workload.TraceSHA256 = workload.KindTrace, f.Path, f.SHA256
	}
	return list, nil
}
