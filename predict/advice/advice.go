package advice

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"getio/numbers/interval"
	"getio/numbers/steady"
	"getio/predict/twin"
	"getio/record"
)

// Advise answers a question.
func Advise(ctx context.Context, q Question) (*record.Advice, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	best := twin.NewSteady(q.Tree, 0)
	caches, err := q.simulate(ctx, q.candidates(best))
	if err != nil {
		return nil, err
	}
	chosen := q.choose(caches)
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no cache of up to %d bytes reaches the target: choose one with --cache, or another target", caches[len(caches)-1].Cache.Bytes)
	}
	a := &record.Advice{
		Schema: record.AdviceSchema, Time: time.Now().UTC(), Source: q.Source, Library: q.Library, Shape: q.Shape.WithoutTables(),
		Workload: record.Simulated{Kind: "uniform", HitFraction: 1, Seed: q.Keys.Seed},
		Memory:   q.Memory, Target: q.Target, Caches: chosen, Warnings: q.Warnings,
	}
	a.Geth, a.FirstMemtable = q.gethMachine(), q.FirstMemtable
	if err := q.try(ctx, a); err != nil {
		return nil, err
	}
	focus := q.focusOf(a.Caches)
	if a.Changes, err = q.changes(best, focus); err != nil {
		return nil, err
	}
	a.Waste, err = q.waste(best, focus)
	return a, err
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
	for _, a := range q.aims() {
		least := a.least(best, q.Tree.CacheBytes())
		for _, step := range steps {
			sizes = append(sizes, max(q.Reserved+roundUp(step*float64(least)), q.Floor))
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
	aims, own := q.aims(), q.Tree == nil
	if own {
		aims = append(aims, worth(caches))
	}
	for _, a := range aims {
		cheapest := a.cheapest(caches, !own)
		if cheapest == nil {
			continue
		}
		cheapest.Reasons = append(cheapest.Reasons, a.purpose)
		if !slices.Contains(chosen, cheapest) {
			chosen = append(chosen, cheapest)
		}
	}
	slices.SortFunc(chosen, func(a, b *record.AdvisedCache) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	for _, c := range chosen {
		c.Cache.Phase = q.Shape.Phase(c.Cache.Bytes)
		q.gethFlags(c)
	}
	return chosen
}

// try replays the trial's Gets with the chosen caches, and sets the error of the twin for each.
func (q *Question) try(ctx context.Context, a *record.Advice) error {
	t := q.Trial
	if t == nil {
		return nil
	}
	var caches []twin.Cache
	for _, c := range a.Caches {
		all := c.Cache.Shards
		caches = append(caches, twin.Cache{Policy: c.Cache.Policy, Bytes: c.Cache.Bytes - q.Reserved, Shards: all, Sampled: all})
	}
	real, err := t.IOsPerGet(ctx, caches)
	if err != nil {
		return err
	}
	predictions, err := twin.Plan{Warmup: t.WarmupGets, Gets: t.Gets}.Predict(ctx, q.Tree, q.Keys, caches, nil)
	if err != nil {
		return err
	}
	for i, c := range a.Caches {
		if real[i].Mean > 0 {
			off := predictions[i].Window.IOsPerGet()/real[i].Mean - 1
			// The prediction has as many Gets, and others.
			half := math.Sqrt2 * real[i].HalfWidth(interval.Usual) / real[i].Mean
			if c.IOsPerGet.Error = &off; half > 0 { // else there were too few Gets to tell
				c.IOsPerGet.ErrorHalf = &half
			}
		}
	}
	a.Trial = &t.AdviceTrial
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
	for _, c := range caches {
		if slices.Contains(c.Reasons, record.ReasonTarget) || slices.Contains(c.Reasons, record.ReasonWorth) {
			return c
		}
	}
	return caches[len(caches)-1]
}
