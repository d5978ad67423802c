// Package census counts the keys of a chaindata directory by category: all of them, or an
// estimate from a sample.
package census

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/catalog"
	"getio/record"
)

// Plan says how to take a census.
type Plan struct {
	Dir    string // as the user named it
	Exact  bool   // count every key
	Ranges int64  // otherwise, estimate from this many ranges of keys, at least two
	Seed   uint64 // of the choice of ranges
	// Progress, if set, is called now and then with what is done. Several goroutines may
	// call it at once.
	Progress func(phase string, done, total uint64, unit string)
}

// scanCache holds the index blocks that a scan needs, in bytes.
const scanCache = 64 << 20

// Take counts the keys of a chaindata directory by category, or estimates their number.
// A database that has no more ranges than the plan asks for is counted. It is an error if
// most keys do not follow geth's schema. Engine and Freezer are left to the caller.
func Take(ctx context.Context, s engine.Store, p Plan) (*record.Categories, error) {
	info := s.Info()
	db, err := s.Open(engine.OpenConfig{CacheBytes: max(scanCache, info.MinCacheBytes)})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ordered, err := engine.AsOrdered(db, info)
	if err != nil {
		return nil, err
	}
	if p.Progress == nil {
		p.Progress = func(string, uint64, uint64, string) {}
	}
	r := &record.Categories{
		Schema: record.CategoriesSchema, Path: p.Dir,
		WAL: record.WAL{Keys: info.WALKeys, Bytes: info.WALBytes, Prepared: info.WALPrepared},
	}
	sampler, err := p.sampler(s)
	switch {
	case err != nil:
		return nil, err
	case sampler == nil:
		r.Exact = true
		records := uint64(s.Shape().Total().Records + info.WALKeys)
		r.Categories, err = Exact(ctx, ordered, func(keys int64) { p.Progress("count", uint64(keys), records, "records") })
		r.Total = total(r.Categories)
	default:
		r.Sample = &record.CategorySample{Ranges: p.Ranges, Of: int64(sampler.Ranges()), Seed: p.Seed}
		r.Categories, r.Total, err = Sample(ctx, ordered, sampler, p.Ranges, p.Seed, func(done int64) {
			p.Progress("estimate", uint64(done), uint64(p.Ranges), "ranges")
		})
		err = errors.Join(err, sampler.Close())
	}
	if err != nil {
		return nil, err
	}
	if 2*r.Categories[string(chaindata.Unaccounted)].Keys >= r.Total.Keys {
		return nil, fmt.Errorf("%s is not chaindata: most of its keys do not follow geth's schema; use --categories on geth's databases only", p.Dir)
	}
	r.Scheme = scheme(r)
	return r, nil
}

// sampler returns the ranges to draw from, or nil if every key is to be counted: on request,
// if there are few ranges, or if the tables hold no keys, because all of them are still in
// the write-ahead log.
func (p Plan) sampler(s engine.Store) (engine.Sampler, error) {
	if p.Exact {
		return nil, nil
	}
	sampler, err := s.Sampler()
	if errors.Is(err, catalog.ErrNoLiveRecord) {
		return nil, nil
	}
	if err == nil && int64(sampler.Ranges()) <= p.Ranges {
		return nil, sampler.Close()
	}
	return sampler, err
}

// scheme derives the scheme of the state's tries from the nodes that are there.
func scheme(r *record.Categories) string {
	keys := func(c chaindata.Category) int64 { return r.Categories[string(c)].Keys }
	path, hash := keys(chaindata.AccountNodes)+keys(chaindata.StorageNodes), keys(chaindata.HashNodes)
	// The genesis state may have been written under the hash scheme first.
	switch few := int64(math.Sqrt(float64(path))); {
	case path > 0 && hash > few:
		return "both"
	case path > 0:
		return "path"
	case hash > 0:
		return "hash"
	}
	return "none"
}

// Tallies are the keys and bytes of the categories that have keys.
type Tallies = map[string]record.CategoryTally

// add adds a tally without standard errors to that of a category.
func add(to Tallies, category string, more record.CategoryTally) {
	sum := to[category]
	sum.Keys += more.Keys
	sum.KeyBytes += more.KeyBytes
	sum.ValueBytes += more.ValueBytes
	to[category] = sum
}

func total(of Tallies) record.CategoryTally {
	sum := Tallies{}
	for _, tally := range of {
		add(sum, "", tally)
	}
	return sum[""]
}

// Exact counts every key: the newest version of each key that is not deleted, including
// those in the write-ahead log. Several goroutines call progress, if it is not nil, with the
// number of keys so far.
func Exact(ctx context.Context, db engine.Ordered, progress func(keys int64)) (Tallies, error) {
	all := Tallies{}
	var mu sync.Mutex
	var met atomic.Int64
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for first := range 256 { // first byte of the keys
		group.Go(func() error {
			from, to := []byte{byte(first)}, []byte{byte(first + 1)}
			if first == 0 {
				from = nil // the empty key too
			}
			if first == 255 {
				to = nil
			}
			own := Tallies{}
			err := count(running, db, from, to, own, func(more int64) {
				if sum := met.Add(more); progress != nil {
					progress(sum)
				}
			})
			mu.Lock()
			defer mu.Unlock()
			for category, tally := range own {
				add(all, category, tally)
			}
			return err
		})
	}
	if err := cmp.Or(group.Wait(), context.Cause(ctx)); err != nil {
		return nil, err
	}
	return all, nil
}

// stride is the number of keys between checks for cancellation.
const stride = 1 << 8

func count(ctx context.Context, db engine.Ordered, from, to []byte, into Tallies, met func(keys int64)) error {
	n := 0
	return db.Scan(from, to, func(key, value []byte) error {
		add(into, string(chaindata.CategoryOf(key, value)), record.CategoryTally{Keys: 1, KeyBytes: int64(len(key)), ValueBytes: int64(len(value))})
		if n++; n%stride > 0 {
			return nil
		}
		met(stride)
		return context.Cause(ctx)
	})
}
