// Package census counts the keys of a chaindata directory by category: all of them, or an
// estimate from a sample.
package census

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"getio/engine"
	"getio/ethereum/chaindata"
)

// Tally is the keys and bytes of a category.
type Tally struct {
	Keys, KeyBytes, ValueBytes int64
}

func (t *Tally) add(u Tally) {
	t.Keys += u.Keys
	t.KeyBytes += u.KeyBytes
	t.ValueBytes += u.ValueBytes
}

// Tallies holds the categories that have keys.
type Tallies map[chaindata.Category]Tally

func (t Tallies) Total() (sum Tally) {
	for _, tally := range t {
		sum.add(tally)
	}
	return sum
}

// Exact counts every key: the newest version of each key that is not deleted, including
// those in the write-ahead log. Several goroutines call progress, if it is not nil, with the
// number of keys so far.
func Exact(ctx context.Context, db engine.Ordered, progress func(keys int64)) (Tallies, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64 // first byte of the keys to scan next
	var met atomic.Int64
	var group sync.WaitGroup
	var mu sync.Mutex
	all := Tallies{}
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			own := Tallies{}
			for at := next.Add(1) - 1; at < 256; at = next.Add(1) - 1 {
				if err := scan(ctx, db, byte(at), own, &met, progress); err != nil {
					stop(err)
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for category, tally := range own {
				sum := all[category]
				sum.add(tally)
				all[category] = sum
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return all, nil
}

// scan counts the keys that start with a byte. The empty key counts with byte 0.
func scan(ctx context.Context, db engine.Ordered, first byte, into Tallies, met *atomic.Int64, progress func(int64)) error {
	var from, to []byte
	if first > 0 {
		from = []byte{first}
	}
	if first < 255 {
		to = []byte{first + 1}
	}
	return count(ctx, db, from, to, into, func(more int64) {
		if sum := met.Add(more); progress != nil {
			progress(sum)
		}
	})
}

// stride is the number of keys between checks for cancellation.
const stride = 1 << 8

func count(ctx context.Context, db engine.Ordered, from, to []byte, into Tallies, met func(keys int64)) error {
	n := 0
	return db.Scan(from, to, func(key, value []byte) error {
		category := chaindata.CategoryOf(key, value)
		tally := into[category]
		tally.add(Tally{1, int64(len(key)), int64(len(value))})
		into[category] = tally
		if n++; n%stride > 0 {
			return nil
		}
		if met != nil {
			met(stride)
		}
		return context.Cause(ctx)
	})
}
