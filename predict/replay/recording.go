package replay

import (
	"context"

	"getio/engine"
	"getio/measure/workload"
	"getio/predict/cachesim"
)

// Recording keeps the accesses of a run's Gets in memory, about a hundred bytes per Get.
type Recording struct {
	Profile Profile

	run      Run
	accesses []Access
	ends     []int // of each Get's accesses
}

// Record makes a run's Gets and keeps their accesses.
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

// Curve returns the counts of the Gets in each cache, as Run.Curve does.
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
