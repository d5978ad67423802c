// Package memory divides a machine's memory between the block cache, the page cache, and other purposes.
package memory

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"getio/engine/readpath"
	"getio/numbers/units"
	"getio/record"
)

// Question asks for the device reads of machines with different amounts of memory.
type Question struct {
	Sizes []int64 // memory of each machine, in bytes; empty: device reads are not wanted
	Other int64   // bytes for other purposes than caches
}

// Check returns an error for a question that cannot be answered.
func (q *Question) Check() error {
	if len(q.Sizes) == 0 && q.Other > 0 {
		return errors.New("--other-memory belongs to --memory: name the machine's memory too, such as --memory 16GiB")
	}
	for _, bytes := range q.Sizes {
		if bytes <= q.Other {
			return fmt.Errorf("--memory %s leaves nothing for caches beside --other-memory %s: choose more", humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(q.Other)))
		}
	}
	return nil
}

// leastPages is the smallest page cache, in bytes, that is simulated. Large blocks would not fit a smaller one.
const leastPages = 512 << 10

// Divide returns the division of each machine's memory for a block cache of the given size, in ascending order. Open tables
// hold outside bytes beside the cache. Machines with too little memory are left out.
func (q *Question) Divide(cache, outside int64) (list []record.PredictedMemory) {
	for _, bytes := range slices.Compact(slices.Sorted(slices.Values(q.Sizes))) {
		m := record.PredictedMemory{Bytes: bytes, OtherBytes: q.Other, OutsideBytes: outside}
		if m.PageCacheBytes = bytes - q.Other - outside - cache; m.PageCacheBytes >= leastPages {
			list = append(list, m)
		}
	}
	return list
}

// Require returns an error if a machine's memory is too small for all of some divisions.
func (q *Question) Require(divisions [][]record.PredictedMemory) error {
	for _, bytes := range q.Sizes {
		if !slices.ContainsFunc(divisions, func(list []record.PredictedMemory) bool {
			return slices.ContainsFunc(list, func(m record.PredictedMemory) bool { return m.Bytes == bytes })
		}) {
			return fmt.Errorf("--memory %s leaves no page cache beside any of the block caches: choose more memory, or a smaller --cache", humanize.IBytes(uint64(bytes)))
		}
	}
	return nil
}

// Turnover returns the number of Gets after which the initial pages of all page caches have been replaced, if each Get reads
// about a page. It ignores page caches that hold all tables; tables is their size in bytes.
func Turnover(tables int64, divisions ...[]record.PredictedMemory) (gets int64) {
	for _, list := range divisions {
		for _, m := range list {
			if m.PageCacheBytes < tables {
				gets = max(gets, m.PageCacheBytes/readpath.PageBytes)
			}
		}
	}
	return gets
}

// NotTurnedOver is the warning for page caches with more pages than Gets in the warm-up.
func NotTurnedOver(warmup int64) string {
	return fmt.Sprintf("a warm-up of %s is too short for the largest page cache, which still contains random pages from the beginning: device reads may be off", units.Plural(warmup, "Get"))
}

// MostTurnover bounds the simulated Gets of a warm-up that page caches take.
const MostTurnover = 10_000_000
