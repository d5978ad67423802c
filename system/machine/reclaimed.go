package machine

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Reclaimed returns how many bytes the kernel has evicted since the machine started because the machine lacked memory.
// What limits of groups evict is not part of it.
func Reclaimed() (bytes int64, err error) {
	f, err := os.Open("/proc/vmstat")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	pages, err := reclaimed(f)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return pages * int64(os.Getpagesize()), nil
}

// reclaimers are the counters of pages evicted in the background and by allocations that had to wait
// (Linux's include/linux/vm_event_item.h).
var reclaimers = []string{"pgsteal_kswapd", "pgsteal_direct", "pgsteal_khugepaged"}

// reclaimed adds up the counters of a vmstat. Kernels before 6.3 lack the last one; without the first, nothing is known.
func reclaimed(vmstat io.Reader) (pages int64, err error) {
	known := false
	lines := bufio.NewScanner(vmstat)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if !slices.Contains(reclaimers, name) {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s is not a number of pages", lines.Text())
		}
		pages += n
		known = known || name == reclaimers[0]
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	if !known {
		return 0, fmt.Errorf("%s is missing: this kernel does not count what it evicts", reclaimers[0])
	}
	return pages, nil
}
