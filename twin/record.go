package twin

import (
	"time"

	"getio/lsm"
	"getio/readpath"
	"getio/record"
)

// Methods of predictions, as records name them.
const (
	MethodTwin     = "twin"
	MethodAnalytic = "analytic"
)

// Subject is what is predicted for.
type Subject struct {
	Of       string // whose shape it is
	Library  string // the engine that is to read it
	Shape    *lsm.Shape
	Tree     *Tree
	Workload Workload
	Reserved int64 // bytes of a cache that blocks cannot use
}

// Record is a simulated prediction, with Cache.Bytes the room for blocks.
func (s *Subject) Record(p *Prediction, plan Plan) *record.Prediction {
	gets := float64(p.Window.Gets)
	r := s.newRecord(MethodTwin, p.Cache.Bytes)
	r.Cache.Policy, r.Cache.Shards, r.Cache.SampledShards = p.Cache.Policy, p.Cache.Shards, p.Cache.Sampled
	r.Workload.Seed, r.Workload.WarmupGets, r.Workload.Gets = s.Workload.Seed, plan.Warmup, plan.Gets
	window := p.Window.IOsPerGet()
	r.IOsPerGet.Window = &window
	if p.Cache.Sampled < p.Cache.Shards {
		off := p.Window.MissError / gets
		r.IOsPerGet.Error = &off
	}
	if p.GetsToSteady > 0 {
		r.IOsPerGet.Steady, r.GetsToSteady = &p.Steady, &p.GetsToSteady
	}
	causes := p.Causes
	r.ReadsByCause = &causes
	var accesses, misses [readpath.NumComponents]float64
	for c := range accesses {
		accesses[c], misses[c] = float64(p.Window.Accesses[c])/gets, p.Window.Misses[c]/gets
	}
	s.fill(r, accesses, misses)
	return r
}

// SteadyRecord is the steady state with room for so many bytes of blocks.
func (s *Subject) SteadyRecord(steady *Steady, room int64) *record.Prediction {
	r := s.newRecord(MethodAnalytic, room)
	ios := steady.IOsPerGet(room)
	r.IOsPerGet.Steady = &ios
	s.fill(r, steady.Accesses(), steady.Misses(room))
	return r
}

func (s *Subject) newRecord(method string, room int64) *record.Prediction {
	bytes := room + s.Reserved
	r := &record.Prediction{
		Schema: record.PredictionSchema, Time: time.Now().UTC(), Of: s.Of, Library: s.Library,
		Shape: s.Shape.WithoutTables(), Method: method,
		Cache:    record.PredictedCache{Bytes: bytes, ReservedBytes: s.Reserved, Phase: s.Shape.Phase(bytes)},
		Workload: record.PredictedWorkload{Kind: "uniform", HitFraction: 1 - s.Workload.Absent, Zipf: s.Workload.Zipf},
	}
	if s.Workload.Zipf > 0 {
		r.Workload.Kind = "zipf"
	}
	return r
}

// fill fills in the components.
func (s *Subject) fill(r *record.Prediction, accesses, misses [readpath.NumComponents]float64) {
	r.Components = map[string]record.PredictedComponent{}
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		r.Components[c.String()] = record.NewPredictedComponent(accesses[c], misses[c])
	}
}
