package advice

import (
	"context"
	"fmt"
	"math"

	"github.com/dustin/go-humanize"

	"getio/predict/twin"
	"getio/tree/lsm"
)

// Question is what is asked, and of which tree.
type Question struct {
	twin.Subject
	Layout lsm.Layout // how its tables are laid out
	// Shards is how many shards the library gives a cache.
	Shards func(cacheBytes int64) int

	Floor   int64   // bytes of the smallest cache that is worth having
	Present int64   // bytes of the cache that the database has; 0 if not known
	Memory  int64   // bytes that a cache may take; 0 for no limit
	Target  float64 // I/Os per Get that are wanted
	// Geth has advice say which --cache to start geth with.
	Geth bool
	// OpenFiles is how many tables the library keeps open; 0 if not known.
	OpenFiles int64

	// Trial, if it is not nil, is a run of the database's own Gets.
	Trial *Trial
	// Progress, if it is set, is called with the Gets simulated of at most so many.
	Progress func(done, most int64)
}

// Trial is a run of a database's own Gets, from an empty cache, whose misses with
// some caches are known.
type Trial struct {
	Warmup, Gets int64
	Seed         uint64
	// IOsPerGet makes the Gets and returns the misses per counted Get with each
	// cache.
	IOsPerGet func(ctx context.Context, caches []twin.Cache) ([]float64, error)
}

// Check says what is wrong with what is asked for.
func (q *Question) Check() error {
	if !(q.Target > 0) || math.IsInf(q.Target, 1) {
		return fmt.Errorf("no cache makes %v I/Os per Get: take a target above 0, like 1.1", q.Target)
	}
	for _, bytes := range []int64{q.Present, q.Memory} {
		if bytes != 0 && bytes < max(q.Floor, q.Reserved+1) {
			return fmt.Errorf("a cache of %s has next to no room for blocks beside the %s that a memtable takes: name one of %s at least",
				humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(q.Reserved)), humanize.IBytes(uint64(max(q.Floor, q.Reserved+1))))
		}
	}
	return nil
}

// focus is the cache that changes are told for: the one that there is room for,
// else the one that there is.
func (q *Question) focus() int64 {
	if q.Memory > 0 {
		return q.Memory
	}
	return q.Present
}
