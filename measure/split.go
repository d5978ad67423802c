package measure

import (
	"context"
	"fmt"
	"time"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/numbers/steady"
	"getio/workload"
)

// sampleGets is the number of Gets, or of records of other operations, in the sample of a split.
// About one in 5,000 probed tables costs a second data block, so the sample has about ten of them.
const sampleGets = 50_000

// sampleOperations is the minimum number of operations in a sample.
const sampleOperations = 5_000

// splitSample is what a sample of the Gets accessed. Accesses do not depend on the cache, so further runs of the same
// Gets share it.
type splitSample struct {
	accesses readpath.Accesses
	checks   []readpath.Check
	taken    bool
	// gets are the sampled Gets, n of them from number first on. A nil gets samples the first measured
	// Gets of the run that takes the sample.
	gets     keysource.Sequence
	first, n int64
}

// commonSample returns a sample of Gets that do not depend on which of several runs takes it: those
// that follow a given warm-up, or the first random ones.
func (p *plan) commonSample(gets keysource.Sequence) splitSample {
	c := splitSample{gets: gets, n: p.ends.gets}
	if !p.Warmup.Agreed() {
		c.first = p.Warmup.Gets(p.TotalKeys)
	}
	if !p.ends.given() {
		c.n = steady.FirstCheck * p.ends.window
	}
	return c
}

// split divides the sum of index, data and other accesses, which is all the library counts. It
// repeats some of the measured Gets without a cache: every access is then a read, whose component
// the region map knows. With ExactSplit it repeats all Gets and compares their accesses with those
// counted.
func (r *run) split(ctx context.Context, s engine.Store, counted readpath.Accesses, first int64, sample *splitSample) (readpath.Accesses, []readpath.Check, error) {
	if r.plan.ExactSplit {
		exact, checks, err := r.uncached(ctx, s, r.gets, first, r.phase.gets, r.plan.Progress)
		if err != nil {
			return counted, nil, err
		}
		exact.Count[readpath.TableOpen] = counted.Count[readpath.TableOpen]
		return exact, append(checks, checkSplit("exact_split", counted, exact)), nil
	}
	if counted.SplitExact || r.plan.NoSplit {
		return counted, nil, nil
	}
	if !sample.taken {
		n := max(sampleGets/r.plan.EachRecords(), sampleOperations)
		if passes(r.bounds.measured, time.Duration(n)*r.uncachedGet()) {
			n = sampleOperations
		}
		gets, of := r.gets, r.phase.gets
		if sample.gets != nil {
			gets, first, of = sample.gets, sample.first, sample.n
		}
		exact, checks, err := r.uncached(ctx, s, gets, first, min(n, of), r.plan.Progress)
		if err != nil {
			return counted, nil, err
		}
		*sample = splitSample{accesses: exact, checks: checks, taken: true}
	}
	return r.splitLike(counted, sample.accesses), sample.checks, nil
}

// slowerUncached is about how many times as long as a measured Get one takes that reads all its blocks.
const slowerUncached = 4

// uncachedGet returns about how long a Get without a cache takes.
func (r *run) uncachedGet() time.Duration {
	return slowerUncached * r.phase.spent.Wall * time.Duration(max(r.plan.Workers, 1)) / time.Duration(max(r.phase.gets, 1))
}

// splitLike divides accesses in the proportions of the sample.
func (r *run) splitLike(counted, sample readpath.Accesses) readpath.Accesses {
	if r.plan.Kind.IsGet() {
		return counted.SplitLike(sample)
	}
	return counted.SplitIndexLike(sample)
}

// uncached repeats n Gets, from number first on, and returns their accesses; progress may be nil. It makes one Get at a
// time, since Pebble v2 lets concurrent Gets share a read. Without a cache, the accesses counted
// by the library must equal the reads, component by component. This is the strictest check of the
// region map and the counts.
func (r *run) uncached(ctx context.Context, s engine.Store, gets keysource.Sequence, first, n int64, progress Progress) (readpath.Accesses, []readpath.Check, error) {
	db, err := s.Open(engine.OpenConfig{MaxOpenFiles: engine.AuxiliaryOpenFiles, LastLevelFilters: r.seek, Operation: r.plan.Kind})
	if err != nil {
		return readpath.Accesses{}, nil, err
	}
	defer db.Close()
	p := &plan{Options: Options{Workload: workload.Workload{Operation: r.plan.Operation, Workers: 1}, Progress: progress}}
	again := &run{plan: p, db: db, gets: gets, next: first, cache: r.cache}
	if err := again.order(s); err != nil {
		return readpath.Accesses{}, nil, err
	}
	again.begin(&recorder{})
	if _, err := again.window(ctx, n, Stage{Phase: PhaseSplit, Total: n}); err != nil {
		return readpath.Accesses{}, nil, err
	}
	counts := again.counts()
	exact := readpath.Accesses{Count: counts.Reads.Count, Probed: counts.Accesses.Probed, SplitExact: true}
	// In v1, a cache of 0 bytes still holds empty blocks: the filters of tables that hold
	// only range deletions.
	exact.Count[readpath.Filter] += counts.BlockCacheHits
	checks := []readpath.Check{checkSplit("split_reads", counts.Accesses, exact)}
	for _, c := range db.Check(counts) {
		c.Name = "split_" + c.Name
		checks = append(checks, c)
	}
	return exact, checks, nil
}

// checkSplit compares the accesses that the library counted with the reads of the same Gets
// without a cache.
func checkSplit(name string, counted, exact readpath.Accesses) readpath.Check {
	c, e := counted.Count, exact.Count
	return readpath.Check{
		Name: name,
		OK: c[readpath.Filter] == e[readpath.Filter] && c[readpath.TopIndex] == e[readpath.TopIndex] &&
			counted.Rest() == exact.Rest(),
		Detail: fmt.Sprintf("accesses counted / read without a cache: filter %d / %d, top index %d / %d, the rest %d / %d",
			c[readpath.Filter], e[readpath.Filter], c[readpath.TopIndex], e[readpath.TopIndex], counted.Rest(), exact.Rest()),
	}
}
