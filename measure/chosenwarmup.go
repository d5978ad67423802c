package measure

import (
	"context"

	"getio/engine"
	"getio/measure/workload"
)

// A warm-up by chosen keys asks for many data blocks first, and then for each index block twice. That
// leads CLOCK-Pro to its steady state with fewer Gets than random keys, which meet the last index
// blocks late. Data blocks come first, as many bytes in the files as the cache has, because CLOCK-Pro
// begins with room for cold blocks only: that room must shrink when the index blocks come, or it forgets
// them again. With less than a full cache, up to 3% of the index blocks do not stay (docs/method.md).

// choosesKeys reports whether the warm-up begins with chosen keys. A cache that keeps blocks by
// recency needs none: once random Gets have filled it, it is in its steady state.
func (r *run) choosesKeys() bool {
	w := r.opts.Warmup
	return (w.auto || w.agreed) && r.fills() && !r.db.Cache().ByRecency
}

// fills reports whether the Gets are such that a cache's state is known to be steady soon after it
// has been filled: Gets of keys that are equally popular.
func (r *run) fills() bool {
	return r.opts.uniform && r.opts.Operation.Kind.IsGet() && !r.seek && r.shared == nil
}

// warmByChosenKeys makes the Gets of chosen keys.
func (r *run) warmByChosenKeys(ctx context.Context, s engine.Store) error {
	sampler, err := s.Sampler()
	if err != nil {
		return err
	}
	defer sampler.Close()
	gets := r.gets
	if err = r.fill(ctx, sampler); err == nil {
		err = r.visitIndexBlocks(ctx, s, sampler)
	}
	r.gets, r.next = gets, 0
	return err
}

// fill makes Gets of neighbouring data blocks until they have read as much as the cache holds.
func (r *run) fill(ctx context.Context, sampler engine.Sampler) error {
	step := min(max(r.cache/(8*blockBytes), 1), preparedGets)
	blocks := workload.DataBlocks(sampler)
	return r.make(ctx, blocks, step, int64(sampler.Ranges()), func() bool { return r.bytesRead() >= r.cache })
}

// blockBytes is about what a Get adds to a cache at least.
const blockBytes = 4096

// visitIndexBlocks makes two Gets of each index block.
func (r *run) visitIndexBlocks(ctx context.Context, s engine.Store, sampler engine.Sampler) error {
	t := s.Shape().Total()
	return r.make(ctx, workload.IndexBlocks(ctx, sampler), preparedGets, 2*max(t.IndexBlocks, t.Tables)+r.chosen, func() bool { return false })
}

// make makes chosen Gets, in windows of n, until there are none left or enough are made. about is
// their expected number.
func (r *run) make(ctx context.Context, c *workload.Chosen, n, about int64, enough func() bool) error {
	defer c.Close()
	r.gets, r.next = c, 0
	for !enough() && !passes(r.warmUntil, 0) {
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
