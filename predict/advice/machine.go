package advice

import (
	"context"
	"slices"

	"getio/predict/memory"
	"getio/predict/twin"
	"getio/record"
)

// divide returns the division of the machine's memory for a block cache; nil if it is not known or too small. The client's
// other caches, which grow with its --cache, are not for pages.
func (q *Question) divide(library *twin.Library, cache int64) []record.PredictedMemory {
	if q.MachineSize == 0 || q.Shape.BlobFiles > 0 { // pages of blob files are not simulated
		return nil
	}
	machine := memory.Question{Sizes: []int64{q.MachineSize}}
	if q.Client.Store != nil {
		flags, possible := q.Client.Flags(cache, q.MachineSize)
		if !possible {
			return nil
		}
		machine.Other = flags.Cache<<20 - (cache - q.Reserved)
	}
	return machine.Divide(cache, library.Outside(q.Shape))
}

// deviceGets is the number of Gets that are counted for device reads.
const deviceGets = 1_000_000

// deviceReads sets the device reads of the advised caches, simulated from the shape of the tree.
func (q *Question) deviceReads(ctx context.Context, a *record.Advice) error {
	plan := twin.Plan{Gets: deviceGets}
	var caches []twin.Cache
	var of []*record.AdvisedCache
	for _, c := range a.Caches {
		if divided := q.divide(q.Tree.Library(), c.Cache.Bytes); divided != nil {
			of, caches, plan.Memory = append(of, c), append(caches, q.cache(c.Cache.Bytes)), append(plan.Memory, divided)
		}
	}
	if len(of) == 0 {
		return nil
	}
	turnover := memory.Turnover(q.Shape.Total().Bytes, plan.Memory...)
	if plan.Warmup = min(turnover, memory.MostTurnover); plan.Warmup < turnover {
		a.Warnings = append(slices.Clone(a.Warnings), memory.NotTurnedOver(plan.Warmup))
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
		of[i].Memory = &predictions[i].Divided()[0]
	}
	return nil
}
