package advice

import (
	"context"

	"getio/engine/readpath"
	"getio/predict/memory"
	"getio/predict/twin"
	"getio/record"
)

// divide returns how the memory of the client's machine is divided with a block cache; nil if it is not known, or too
// small. What the client's other caches take by its flags is not for pages.
func (q *Question) divide(library *twin.Library, cache int64) []record.PredictedMemory {
	if q.MachineSize == 0 {
		return nil
	}
	machine := memory.Question{Sizes: []int64{q.MachineSize}}
	if flags, possible := q.Client.Flags(cache, q.MachineSize); possible {
		// Its store gets the rest, of which memtables take a part.
		machine.Other = flags.Cache<<20 - (cache - q.Reserved)
	}
	return machine.Divide(cache, library.Outside(q.Shape))
}

const (
	deviceGets = 1_000_000 // counted ones
	mostFilled = 4_000_000 // Gets that change the page cache from how it began
)

// deviceReads adds what devices read with the chosen caches, simulated from the shape of the tree.
func (q *Question) deviceReads(ctx context.Context, chosen []*record.AdvisedCache) error {
	plan := twin.Plan{Gets: deviceGets}
	var caches []twin.Cache
	for _, c := range chosen {
		divided := q.divide(q.Tree.Library(), c.Cache.Bytes)
		if divided == nil {
			return nil
		}
		caches, plan.Memory = append(caches, q.cache(c.Cache.Bytes)), append(plan.Memory, divided)
		plan.Warmup = max(plan.Warmup, min(divided[0].PageCacheBytes/readpath.PageBytes, mostFilled))
	}
	var progress func(int64)
	if q.Progress != nil {
		progress = func(done int64) { q.Progress(done, plan.Warmup+plan.Gets) }
	}
	predictions, err := plan.Predict(ctx, q.Tree, q.Keys, caches, progress)
	if err != nil {
		return err
	}
	for i := range predictions {
		chosen[i].Memory = &predictions[i].Divided()[0]
	}
	return nil
}
