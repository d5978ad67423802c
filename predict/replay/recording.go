package replay

import (
	"context"

	"getio/engine"
	"getio/measure/workload"
	"getio/predict/cachesim"
)

// Recording is a run's Gets as they were once made, kept in memory: some hundred
// bytes for each.
type Recording struct {
	Profile Profile

	run      Run
	accesses []Access
	ends     []int // of each Get's accesses
}

// Record makes a run's Gets and keeps what they asked for.
func (r Run) Record(ctx context.Context, s engine.Store, gets workload.Sequence) (*Recording, error) {
	rec := &Recording{Profile: newProfile(), run: r}
	err := r.each(ctx, s, gets, func(_ int64, g Get) error {
		rec.Profile.add(g)
		rec.accesses = append(rec.accesses, g.Accesses...)
		rec.ends = append(rec.ends, len(rec.accesses))
		return nil
	})
	return rec, err
}

// Curve is what the Gets do in each cache, as Run.Curve has it.
func (r *Recording) Curve(ctx context.Context, library cachesim.Library, caches []Cache) ([]Counts, error) {
	sim, err := newSimulation(library, caches)
	if err != nil {
		return nil, err
	}
	from := 0
	for made, end := range r.ends {
		if made%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sim.access(r.accesses[from:end], int64(made) >= r.run.Warmup)
		from = end
	}
	return sim.counts, nil
}
