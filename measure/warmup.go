package measure

import (
	"context"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/measure/keysource"
	"getio/numbers/steady"
)

// Bounds of an automatic warm-up, in windows. A run that is not steady after maxWarmupWindows
// is measured anyway, and reported as not steady.
const (
	minWarmupWindows = 10
	maxWarmupWindows = 400
	keptWindows      = 40 // more are merged in pairs
)

// settled reports whether the second half of a warm-up is steady. The first half includes the
// cold cache.
func settled(windows []steady.Window, minGets, gets int64) bool {
	drift, ok := steady.DriftOf(windows[len(windows)/2:], minGets, gets)
	return ok && drift.Steady()
}

// warmUp makes the Gets before the measured ones. s may be nil if keys are not to be chosen.
func (r *run) warmUp(ctx context.Context, s engine.Store) error {
	r.begin(r.unmeasuredRecorder())
	if r.choosesKeys() {
		if err := r.warmByChosenKeys(ctx, s); err != nil {
			return err
		}
	}
	if !r.plan.Warmup.Auto() {
		n := r.plan.Warmup.Gets(r.plan.TotalKeys)
		_, err := r.window(ctx, n, Stage{Phase: PhaseWarmUp, Done: r.chosen, Total: r.chosen + n})
		return err
	}
	var windows []steady.Window
	size := r.plan.minGets
	most := maxWarmupWindows * r.plan.minGets
	for r.next < most {
		r.filled = r.fills() && r.bytesRead() >= r.cache
		w, timeUp, err := r.warmUpWindow(ctx, size)
		if err != nil || r.filled || timeUp {
			return err
		}
		windows = append(windows, w)
		if len(windows) >= minWarmupWindows && settled(windows, r.plan.minGets, r.next) {
			return nil
		}
		if len(windows) == keptWindows {
			windows, size = steady.Halve(windows), 2*size
		}
	}
	return nil
}

// warmUpParts is the number of parts of a window after which a warm-up may end because time is up.
const warmUpParts = 4

// warmUpWindow makes a window of the warm-up, or the part of it for which there is time.
func (r *run) warmUpWindow(ctx context.Context, size int64) (all steady.Window, timeUp bool, err error) {
	parts := int64(1)
	if !r.bounds.warmup.IsZero() {
		parts = warmUpParts
	}
	for i := int64(0); i < parts && !timeUp; i++ {
		start := time.Now()
		w, err := r.window(ctx, (i+1)*size/parts-i*size/parts, Stage{Phase: PhaseWarmUp, Done: r.made()})
		if err != nil {
			return all, false, err
		}
		all.Gets, all.Reads = all.Gets+w.Gets, all.Reads+w.Reads
		timeUp = passes(r.bounds.warmup, time.Since(start))
	}
	return all, timeUp, nil
}

// A warm-up by chosen keys fills the cache and then asks for each index block twice. That leads CLOCK-Pro
// to its steady state with fewer Gets than random keys, which meet the last index blocks late. CLOCK-Pro
// begins with room for cold blocks only, and that room shrinks when it forgets test blocks: by about the
// bytes that are read after the first two caches full. If it has not shrunk when the index blocks come,
// they are evicted again.
//
// If the two Gets of each index block read two caches full, as they do unless the cache is much larger than
// all index blocks, one Get of each of the first index blocks fills the cache. They come last in the second
// round, when they have been evicted. Otherwise neighbouring data blocks fill it, which ask for hardly any
// index block. With less than a full cache at first, up to 3% of the index blocks do not stay.

// choosesKeys reports whether the warm-up begins with chosen keys. A cache that keeps blocks by
// recency needs none: once random Gets have filled it, it is in its steady state.
func (r *run) choosesKeys() bool {
	w := r.plan.Warmup
	return (w.Auto() || w.Agreed()) && r.fills() && !r.db.Cache().ByRecency
}

// fills reports whether the Gets are such that a cache's state is known to be steady soon after it
// has been filled: Gets of keys that are equally popular.
func (r *run) fills() bool {
	return r.plan.uniform && r.plan.Operation.Kind.IsGet() && !r.seek && r.shared == nil
}

// warmByChosenKeys makes the Gets of chosen keys.
func (r *run) warmByChosenKeys(ctx context.Context, s engine.Store) error {
	sampler, err := s.Sampler()
	if err != nil {
		return err
	}
	defer sampler.Close()
	gets := r.gets
	visited, err := r.fill(ctx, s.Shape().Total(), sampler)
	if err == nil {
		err = r.make(ctx, keysource.IndexBlocks(ctx, sampler, visited, 2), preparedGets, r.chosen+2*indexBlocks(s.Shape().Total()), never)
	}
	r.gets, r.next = gets, 0
	return err
}

// fill makes Gets until they have read as much as the cache holds, and returns how many index blocks they
// asked for, from the first one. It does not count index blocks without keys, so the next step may make a
// third Get of as many other index blocks.
func (r *run) fill(ctx context.Context, t lsm.Level, sampler engine.Sampler) (visited int64, err error) {
	step := min(max(r.cache/(8*blockBytes), 1), preparedGets)
	full := func() bool { return r.bytesRead() >= r.cache }
	if indexBlocksFill(t, r.cache) {
		err = r.make(ctx, keysource.IndexBlocks(ctx, sampler, 0, 1), step, indexBlocks(t), full)
		return r.chosen, err
	}
	return 0, r.make(ctx, keysource.DataBlocks(sampler), step, fillGets(t, r.cache), full)
}

// blockBytes is about what a Get adds to a cache at least.
const blockBytes = 4096

// fillGets returns about how many Gets fill a cache.
func fillGets(t lsm.Level, cache int64) int64 {
	each := int64(blockBytes)
	if indexBlocksFill(t, cache) {
		each *= 2 // an index block and a data block
	}
	return min(cache/each, t.DataBlocks)
}

// indexBlocksFill reports whether two Gets of each index block, of different data blocks, read two caches full.
func indexBlocksFill(t lsm.Level, cache int64) bool {
	return t.IndexBytes+t.TopIndexBytes+2*indexBlocks(t)*(t.DataBytes/max(t.DataBlocks, 1)) >= 2*cache
}

// indexBlocks returns the number of index blocks that name data blocks. Where no table has second-level
// ones, it has one.
func indexBlocks(t lsm.Level) int64 { return max(t.IndexBlocks, t.Tables) }

func never() bool { return false }

// make makes chosen Gets, in windows of n, until there are none left or enough are made. about is
// their expected number.
func (r *run) make(ctx context.Context, c *keysource.Chosen, n, about int64, enough func() bool) error {
	defer c.Close()
	r.gets, r.next = c, 0
	for !enough() && !passes(r.bounds.warmup, 0) {
		if most := r.plan.mostChosen; most != nil {
			n = min(n, *most-r.chosen)
		}
		if n <= 0 {
			return nil
		}
		taken, err := c.Take(n)
		if err != nil || taken == 0 {
			return err
		}
		if _, err := r.window(ctx, taken, Stage{Phase: PhaseWarmUp, Done: r.chosen, Total: max(about, r.chosen+taken)}); err != nil {
			return err
		}
		r.chosen += taken
	}
	return nil
}

// bytesRead returns the bytes of blocks read in the phase.
func (r *run) bytesRead() int64 {
	return r.counts().Reads.Bytes.Blocks()
}
