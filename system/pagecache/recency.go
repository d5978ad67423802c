package pagecache

import (
	"fmt"
	"slices"
	"strings"

	"getio/system/machine"
)

// Unseen reports whether the kernel ignores a process's accesses to the pages of a device's files that
// it has mapped. It then evicts them in the order in which it read them, however often they are used.
// Only what it reads again soon after evicting it may stay for longer (mm/workingset.c).
//
// Linux does so with what is mapped for sequential access, and since 6.3 with what is mapped for random
// access (madvise(2), MADV_RANDOM; commit 8788f6781486, "mm: add vma_has_recency()").
func Unseen(process int, device uint64) (unseen bool, err error) {
	ignored := []string{"sr"}
	if major, minor := kernelVersion(); major > 6 || major == 6 && minor >= 3 {
		ignored = append(ignored, "rr")
	}
	ours := false // the mapping whose lines are being read
	err = eachLine(process, "smaps", func(line string) {
		if _, of, ok := parseMapped(line); ok {
			ours = of == device
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && ours {
			unseen = unseen || slices.ContainsFunc(strings.Fields(flags), func(flag string) bool { return slices.Contains(ignored, flag) })
		}
	})
	return unseen, err
}

// kernelVersion is the first two numbers of the kernel's release; 0 if unknown.
func kernelVersion() (major, minor int) {
	fmt.Sscanf(machine.Kernel(), "%d.%d", &major, &minor)
	return major, minor
}
