package advice

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/database"
	"getio/predict/replay"
	"getio/predict/twin"
	"getio/record"
	"getio/workload"
)

// Own is a workload of the user's own: a trace, a list of keys, or keys of unequal popularity.
type Own struct {
	Keys workload.Keys
	Run  replay.Run
	// Live is the I/Os per Get that a running client made with the present cache while the Gets behind
	// the warm-up were recorded; nil if they were not, and the database's own cache is to check instead.
	Live *float64
}

// AdviseOwn answers a question for Gets of the user's own: each is made once on the database's tables,
// and what it accesses goes through caches of all sizes.
func AdviseOwn(ctx context.Context, q Question, d *database.Database, own Own) (*record.Advice, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if own.Run.Gets < 1 {
		return nil, errors.New("no Gets to advise on: make at least 2 with --gets")
	}
	library, err := replay.LibraryOf(d)
	if err != nil {
		return nil, err
	}
	sizes := q.scale()
	var caches []replay.Cache
	for _, bytes := range sizes {
		caches = append(caches, replay.Cache{Bytes: bytes, Reserved: q.Reserved, Shards: q.Shards(bytes)})
	}
	figures, found, err := own.Run.PerGet(ctx, d, own.Keys, library, caches)
	if err != nil {
		return nil, err
	}
	var all []*record.AdvisedCache
	for i, c := range caches {
		all = append(all, &record.AdvisedCache{
			Cache:     record.PredictedCache{Bytes: c.Bytes, ReservedBytes: c.Reserved, Policy: library.Policy(), Shards: c.Shards, SampledShards: c.Shards},
			IOsPerGet: record.AdvisedIOs{Predicted: figures[i].IOs(), SamplingError: figures[i].Error}, Components: figures[i].Components(),
			PageBytesPerGet: &figures[i].PageBytes,
		})
	}
	a := &record.Advice{
		Schema: record.AdviceSchema, Time: time.Now().UTC(), Source: q.Source, Library: q.Library, Shape: q.Shape.WithoutTables(),
		Workload: own.Run.Workload(own.Keys, found), Memory: q.Memory, Target: q.Target, Geth: q.gethMachine(), FirstMemtable: q.FirstMemtable,
	}
	a.Caches = q.choose(all)
	a.Waste = q.plainWaste()
	if reads := q.focusOf(a.Caches).Components[readpath.TableOpen.String()].Misses; reads > 0 {
		// Libraries keep a few files less open than the limit allows.
		beyond := max(0, q.Shape.Total().Tables-twin.OpenFiles(d.Config.Effective()))
		a.Waste = append(a.Waste, &record.Waste{What: record.WasteHandles, Amount: beyond, IOsPerGet: &reads})
	}
	return a, own.check(ctx, q, d, a)
}

// scale returns the cache sizes to simulate, in ascending order: evenly spaced on a logarithmic scale
// up to the size of the tables, with those that were asked for.
func (q *Question) scale() (sizes []int64) {
	const step = 1.19 // four sizes for each doubling
	least := max(q.Floor, q.Reserved+1<<20)
	most := max(q.Shape.Total().Bytes+q.Reserved, 2*least)
	for bytes := float64(least); bytes < float64(most)*step; bytes *= step {
		sizes = append(sizes, roundUp(bytes))
	}
	for _, a := range q.asked() {
		sizes = append(sizes, a.bytes)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// worthShare is the part of what any cache can save that a cache worth having saves.
const worthShare = 0.9

// worth is the aim of the cache worth having, among caches of all sizes.
func worth(caches []*record.AdvisedCache) aim {
	least, most := math.Inf(1), 0.0
	for _, c := range caches {
		least, most = min(least, c.IOsPerGet.Predicted), max(most, c.IOsPerGet.Predicted)
	}
	return aim{record.ReasonWorth, most - worthShare*(most-least), readpath.Means.Sum}
}

// check compares the prediction with what was counted live or, without that, with the library's own
// cache and the same Gets. A sample cannot be measured.
func (o *Own) check(ctx context.Context, q Question, d *database.Database, a *record.Advice) error {
	checked := q.focusOf(a.Caches)
	trial := &record.AdviceTrial{WarmupGets: o.Run.Warmup, Gets: o.Run.Gets, Seed: o.Keys.Seed, Live: o.Live != nil}
	if o.Keys.Trace != "" {
		trial.Seed = 0
	}
	var measured float64
	switch {
	case o.Live != nil && checked.Cache.Bytes != q.Present, o.Live == nil && o.Keys.Trace != "" && o.Run.Trace.Sampled() > 1:
		return nil
	case o.Live != nil:
		measured = *o.Live
		trial.IOsPerGet = o.Live
	default:
		sweep := o.Run.Measured(d, o.Keys)
		// The advised sizes leave out what memtables of the client take, so the check does, too.
		result, err := sweep.One(ctx, engine.OpenConfig{CacheBytes: checked.Cache.Bytes, Shards: checked.Cache.Shards, Memtables: q.Reserved})
		if err != nil {
			return err
		}
		if err := result.Checks.Err(); err != nil {
			return err
		}
		measured = result.IOsPerGet.Mean
	}
	off, predicted := 0.0, checked.IOsPerGet.Predicted
	switch {
	case measured > 0:
		off = predicted/measured - 1
	case predicted > 0:
		return nil // no share says how far off that is
	}
	checked.IOsPerGet.Error, a.Trial = &off, trial
	return nil
}
