// Package memory divides a machine's memory between the block cache, what else needs memory, and the page cache.
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

// Question asks what devices read with the memory of some machines.
type Question struct {
	Sizes []int64 // of the machines' memory, in bytes; none: nothing is asked
	Other int64   // what the process and the machine need besides the caches
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

// leastPages is the smallest page cache that is simulated. Some of its blocks would not fit a smaller one.
const leastPages = 512 << 10

// Divide returns how each machine's memory is divided with a block cache of so many bytes, in ascending order. Open tables
// hold outside bytes beside the cache. Machines whose memory is too small for that are left out.
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

// Turnover returns after how many Gets page caches hold what these Gets read, not the pages with which they began: a page is
// read by each Get, or nearly. One that holds all tables, of so many bytes, holds what Gets read from the first on.
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

// NotTurnedOver warns of page caches that have more pages than Gets were made to warm up.
func NotTurnedOver(warmup int64) string {
	return fmt.Sprintf("the %s to warm up are fewer than a page cache has pages: what it held at the beginning, pages taken at random, still decides device reads; raise --warmup", units.Plural(warmup, "Get"))
}
