// Package memory divides a machine's memory between the block cache, what else needs memory, and the page cache.
package memory

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"getio/engine/readpath"
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

// Divide returns how each machine's memory is divided with a block cache of so many bytes, in ascending order. The tables of
// a tree that are open take outside bytes beside the cache. Machines whose memory is too small for that are left out.
func (q *Question) Divide(cache, outside int64) (list []record.PredictedMemory) {
	for _, bytes := range slices.Compact(slices.Sorted(slices.Values(q.Sizes))) {
		m := record.PredictedMemory{Bytes: bytes, OtherBytes: q.Other, OutsideBytes: outside}
		if m.PageCacheBytes = bytes - q.Other - outside - cache; m.PageCacheBytes >= readpath.PageBytes {
			list = append(list, m)
		}
	}
	return list
}
