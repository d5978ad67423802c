package advice

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"getio/numbers/steady"
	"getio/predict/twin"
	"getio/record"
)

// Advise answers a question from the shape of a tree.
func Advise(ctx context.Context, q Question) (*record.Advice, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	q.interpolates = true
	best := twin.NewSteady(q.Tree, 0)
	caches, err := q.simulate(ctx, q.candidates(best))
	if err != nil {
		return nil, err
	}
	a := q.advice(caches, record.Simulated{Kind: "uniform", HitFraction: 1, Seed: q.Keys.Seed})
	if err := q.deviceReads(ctx, a); err != nil {
		return nil, err
	}
	return a, q.changesAndWaste(best, a)
}

// changesAndWaste adds the effects of changes and the waste, which follow from the shape of the tree.
func (q *Question) changesAndWaste(best *twin.Steady, a *record.Advice) (err error) {
	focus := q.focusOf(a.Caches)
	if a.Changes, err = q.changes(best, focus); err != nil {
		return err
	}
	a.Waste, err = q.waste(best, focus)
	return err
}

// advice returns the answer with the caches chosen.
func (q *Question) advice(caches []*record.AdvisedCache, of record.Simulated) *record.Advice {
	a := &record.Advice{
		Schema: record.AdviceSchema, Time: time.Now().UTC(), Source: q.Source, Library: q.Library, Shape: q.Shape.WithoutTables(),
		Workload: of, Memory: q.Memory, Target: q.Target, Geth: q.gethMachine(), Caches: q.choose(caches), Warnings: q.Warnings,
	}
	a.FirstMemtable = q.Client.Store != nil && q.Client.Store.Small > 0
	a.Answer = q.answer(a.Caches)
	return a
}

// candidates returns the cache sizes to simulate, in ascending order.
func (q *Question) candidates(best *twin.Steady) (sizes []int64) {
	for _, a := range q.asked() {
		sizes = append(sizes, a.bytes)
	}
	steps := steps
	if !q.Tree.Library().Sharded() {
		steps = slices.Concat(steps, lruSteps)
	}
	aims := q.aims()
	if q.Target == 0 {
		now := best.IOsPerGet(cmp.Or(q.Present, q.least()) - q.Reserved)
		aims = append(aims, worth(now, best.IOsPerGet(q.most()-q.Reserved)))
		sizes = append(sizes, q.least(), q.most())
	}
	for _, a := range aims {
		least := a.least(best, q.Tree.CacheBytes())
		for _, step := range steps {
			sizes = append(sizes, max(q.Reserved+roundUp(step*float64(least)), q.least()))
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// roundUp rounds a size up to about three digits of a binary unit.
func roundUp(bytes float64) int64 {
	unit := math.Exp2(math.Max(math.Floor(math.Log2(bytes))-7, 0))
	return int64(math.Ceil(bytes/unit) * unit)
}

// mostWindows bounds the windows simulated to find a steady state, of lsm.Shape.MinWindowGets
// Gets each.
const mostWindows = 60

// simulate predicts the steady states of caches of the given sizes.
func (q *Question) simulate(ctx context.Context, sizes []int64) (list []*record.AdvisedCache, err error) {
	window := q.Shape.MinWindowGets()
	plan := twin.Plan{Gets: 2 * steady.Windows * window, Most: mostWindows * window}
	var caches []twin.Cache
	for _, bytes := range sizes {
		caches = append(caches, q.cache(bytes))
	}
	var progress func(int64)
	if q.Progress != nil {
		progress = func(done int64) { q.Progress(done, plan.Most) }
	}
	predictions, err := plan.Predict(ctx, q.Tree, q.Keys, caches, progress)
	if err != nil {
		return nil, err
	}
	for i := range predictions {
		list = append(list, q.Advised(&predictions[i]))
	}
	return list, nil
}

// Large caches have the shards of a large machine: Pebble makes four per processor, of at least
// 4 MiB. A sample of them is simulated.
const (
	largeCache    = 512 << 20
	largeMachine  = 32 // processors
	sampledShards = 8
)

func (q *Question) cache(bytes int64) twin.Cache {
	library := q.Tree.Library()
	c := twin.Cache{Policy: library.Cache.Policy(), Bytes: bytes - q.Reserved}
	if library.Sharded() && bytes >= largeCache {
		c.Shards = library.Cache.Shards(bytes, largeMachine)
		return q.Tree.Sample(c, sampledShards)
	}
	c.Shards = q.Shards(bytes)
	c.Sampled = c.Shards
	return c
}

// choose returns the caches that answer the question, with the reasons for each.
func (q *Question) choose(caches []*record.AdvisedCache) []*record.AdvisedCache {
	for _, a := range q.asked() {
		if i := slices.IndexFunc(caches, func(c *record.AdvisedCache) bool { return c.Cache.Bytes == a.bytes }); i >= 0 {
			caches[i].Reasons = append(caches[i].Reasons, a.reason)
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(caches), func(c *record.AdvisedCache) bool { return len(c.Reasons) == 0 })
	aims := q.aims()
	if q.Target == 0 {
		aims = append(aims, q.worthOf(caches))
	}
	settable := slices.DeleteFunc(slices.Clone(caches), func(c *record.AdvisedCache) bool { return c.Cache.Bytes < q.least() })
	for _, a := range aims {
		cheapest := a.cheapest(settable, q.interpolates)
		holds := a.purpose == record.ReasonFilters || a.purpose == record.ReasonIndexes
		if cheapest == nil || holds && q.Client.Store != nil && cheapest == settable[0] { // any cache of the client does
			continue
		}
		cheapest.Reasons = append(cheapest.Reasons, a.purpose)
		if !slices.Contains(chosen, cheapest) {
			cheapest.Cache.Bytes = q.Client.Settable(cheapest.Cache.Bytes)
			chosen = append(chosen, cheapest)
		}
	}
	slices.SortFunc(chosen, func(a, b *record.AdvisedCache) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	for _, c := range chosen {
		c.Cache.Phase = q.Shape.Phase(c.Cache.Bytes)
		if flags, possible := q.Client.Flags(c.Cache.Bytes, q.MachineSize); possible {
			if c.GethCacheMiB = flags.Cache; flags.Database != record.DefaultGethDatabase {
				c.GethDatabase = flags.Database
			}
		}
	}
	return chosen
}

// Another cache is advised only if it saves at least leastSaving I/Os per Get and leastSavingShare of the present ones.
const (
	leastSaving      = 0.005
	leastSavingShare = 0.03
)

// answer returns the cache to set: the cheapest that reaches the aim within --memory.
func (q *Question) answer(caches []*record.AdvisedCache) *record.AdviceAnswer {
	now, then, memory := reasoned(caches, record.ReasonPresent), reasoned(caches, record.ReasonTarget), reasoned(caches, record.ReasonMemory)
	if q.Target == 0 {
		then = reasoned(caches, record.ReasonWorth)
	}
	var a record.AdviceAnswer
	if then == nil || memory != nil && then.Cache.Bytes > memory.Cache.Bytes {
		a.Missed, then = true, cmp.Or(memory, reasoned(caches, record.ReasonMost), caches[len(caches)-1])
	}
	if now != nil {
		reads := now.IOsPerGet.Known()
		saved := reads - then.IOsPerGet.Known()
		a.Now, a.Keep = &reads, then.Cache.Bytes <= now.Cache.Bytes || saved < max(leastSaving, leastSavingShare*reads)
	}
	if a.Keep {
		then = now
	}
	a.CacheBytes, a.GethCacheMiB, a.GethDatabase, a.Then = then.Cache.Bytes, then.GethCacheMiB, then.GethDatabase, then.IOsPerGet.Known()
	return &a
}

// reasoned returns the cache with a reason, or nil.
func reasoned(caches []*record.AdvisedCache, reason string) *record.AdvisedCache {
	if i := slices.IndexFunc(caches, func(c *record.AdvisedCache) bool { return slices.Contains(c.Reasons, reason) }); i >= 0 {
		return caches[i]
	}
	return nil
}

// focusOf returns the cache for which changes are computed: that of the question, else the
// cheapest for the target, else the largest.
func (q *Question) focusOf(caches []*record.AdvisedCache) *record.AdvisedCache {
	for _, c := range caches {
		if c.Cache.Bytes == q.focus() {
			return c
		}
	}
	return cmp.Or(reasoned(caches, record.ReasonTarget), reasoned(caches, record.ReasonWorth), caches[len(caches)-1])
}
