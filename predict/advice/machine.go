package advice

import (
	"context"

	"getio/predict/memory"
	"getio/predict/twin"
	"getio/record"
)

// divide returns how the memory of the client's machine is divided with a block cache; nil if it is not known, or too
// small. What the client's other caches take by its flags is not for pages.
func (q *Question) divide(library *twin.Library, cache int64) []record.PredictedMemory {
	if q.MachineSize == 0 || q.Shape.BlobFiles > 0 { // how blob files lie in the page cache is not simulated
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
	deviceGets   = 1_000_000 // counted ones
	mostTurnover = 4_000_000 // as in package scenario
)

// deviceReads adds what devices read with the chosen caches, simulated from the shape of the tree.
func (q *Question) deviceReads(ctx context.Context, chosen []*record.AdvisedCache) error {
	plan := twin.Plan{Gets: deviceGets}
	var caches []twin.Cache
	var of []*record.AdvisedCache
	for _, c := range chosen {
		if divided := q.divide(q.Tree.Library(), c.Cache.Bytes); divided != nil {
			of, caches, plan.Memory = append(of, c), append(caches, q.cache(c.Cache.Bytes)), append(plan.Memory, divided)
		}
	}
	if len(of) == 0 {
		return nil
	}
	plan.Warmup = min(memory.Turnover(q.Shape.Total().Bytes, plan.Memory...), mostTurnover)
	var progress func(int64)
	if q.Progress != nil {
		progress = func(done int64) { q.Progress(done, plan.Warmup+plan.Gets) }
	}
	predictions, err := plan.Predict(ctx, q.Tree, q.Keys, caches, progress)
	if err != nil {
		return err
	}
	for i := range predictions {
		of[i].Memory = &predictions[i].Divided()[0]
	}
	return nil
}
