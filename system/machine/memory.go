package machine

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// memoryBesides is what a process needs besides its block cache, in bytes.
const memoryBesides = 512 << 20

// FitsCache returns an error if this machine cannot hold a block cache of that many bytes:
// filling it would make the system kill the process, and perhaps others, or swap.
func FitsCache(bytes int64) error {
	need, have := memoryPerByte*float64(bytes)+memoryBesides, AvailableMemory()
	if have > 0 && need > float64(have) {
		return fmt.Errorf("a cache of %s takes about %s of memory, and %s are available: name a smaller one",
			humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(need)), humanize.IBytes(uint64(have)))
	}
	return nil
}
