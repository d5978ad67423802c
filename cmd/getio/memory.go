package main

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"getio/record"
)

// memoryBesides is what a process needs besides its block cache, in bytes.
const memoryBesides = 512 << 20

// checkMemory refuses a cache that this machine cannot hold: filling it would
// end in the system killing the process, and perhaps others, or in swapping.
func checkMemory(cacheBytes int64) error {
	need, have := memoryPerByte*float64(cacheBytes)+memoryBesides, record.AvailableMemory()
	if have > 0 && need > float64(have) {
		return fmt.Errorf("a cache of %s takes about %s of memory, and %s are available: name a smaller one",
			humanize.IBytes(uint64(cacheBytes)), humanize.IBytes(uint64(need)), humanize.IBytes(uint64(have)))
	}
	return nil
}
