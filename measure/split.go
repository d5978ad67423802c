package measure

import (
	"context"
	"fmt"

	"getio/engine"
	"getio/readpath"
	"getio/record"
)

// sampleGets is how many Gets a sample of the split is taken from. Of keys that
// exist, about one in 5,000 tables probed costs a second data block: ten or so
// of them tell that figure well enough.
const sampleGets = 50_000

// splitSample keeps the sample for further runs of the same kind of Gets: what
// a Get accesses does not depend on the cache.
type splitSample struct {
	accesses readpath.Accesses
	taken    bool
}

// split tells index, data and other accesses apart, of which the library counts
// only the sum, by making some of the measured Gets again on a cache that keeps
// nothing: every access is then a read, and the region map names it. With
// ExactSplit these are all of the Gets, and the check holds the result against
// what was counted.
func (r *run) split(ctx context.Context, s engine.Store, counted readpath.Accesses, first int64) (readpath.Accesses, *record.Check, error) {
	if r.opts.ExactSplit {
		exact, err := r.uncached(ctx, s, first, r.opts.Gets)
		if err != nil {
			return counted, nil, err
		}
		exact.Count[readpath.TableOpen] = counted.Count[readpath.TableOpen]
		check := checkSplit(counted, exact)
		return exact, &check, nil
	}
	if counted.SplitExact {
		return counted, nil, nil
	}
	sample := r.opts.sample
	if sample == nil {
		sample = &splitSample{}
	}
	if !sample.taken {
		exact, err := r.uncached(ctx, s, first, min(sampleGets, r.opts.Gets))
		if err != nil {
			return counted, nil, err
		}
		*sample = splitSample{accesses: exact, taken: true}
	}
	return counted.SplitLike(sample.accesses), nil, nil
}

// uncached makes n Gets again, from number first on, one at a time (v2 lets
// concurrent Gets share a read), and tells what they accessed.
func (r *run) uncached(ctx context.Context, s engine.Store, first, n int64) (readpath.Accesses, error) {
	db, err := s.Open(engine.OpenConfig{})
	if err != nil {
		return readpath.Accesses{}, err
	}
	defer db.Close()
	opts := r.opts
	opts.Workers = 1
	again := &run{db: db, gets: r.gets, opts: opts, minGets: r.minGets, next: first}
	if _, err := again.window(ctx, n, Stage{Phase: "split", Total: n}); err != nil {
		return readpath.Accesses{}, err
	}
	counts := db.Counts()
	return readpath.Accesses{Count: counts.Reads.Count, Probed: counts.Accesses.Probed, SplitExact: true}, nil
}

// checkSplit holds the accesses that the library counted during the run
// against the reads of the same Gets without a cache.
func checkSplit(counted, exact readpath.Accesses) record.Check {
	c, e := counted.Count, exact.Count
	return record.Check{
		Name: "exact_split",
		OK: c[readpath.Filter] == e[readpath.Filter] && c[readpath.TopIndex] == e[readpath.TopIndex] &&
			counted.Rest() == exact.Rest(),
		Detail: fmt.Sprintf("counted with the cache / read without it: filter %d / %d, top index %d / %d, the rest %d / %d",
			c[readpath.Filter], e[readpath.Filter], c[readpath.TopIndex], e[readpath.TopIndex], counted.Rest(), exact.Rest()),
	}
}
