package pagecache

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"getio/system/machine"
)

// Unseen reports whether the kernel ignores a process's accesses to the pages of a device's files that
// it has mapped. It then evicts them in the order in which it read them, however often they are used.
//
// Linux does so with what is mapped for sequential access, and since 6.3 with what is mapped for random
// access (madvise(2), MADV_RANDOM; commit 8788f6781486, "mm: add vma_has_recency()").
func Unseen(process int, device uint64) (bool, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps", process))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot list the mappings of process %d: %w", process, err)
	}
	defer f.Close()
	ignored := []string{"sr"}
	if major, minor := kernelVersion(); major > 6 || major == 6 && minor >= 3 {
		ignored = append(ignored, "rr")
	}
	ours := false // the mapping whose lines are being read
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if _, of, ok := parseMapped(s.Text()); ok {
			ours = of == device
		}
		flags, ok := strings.CutPrefix(s.Text(), "VmFlags:")
		if ok && ours && slices.ContainsFunc(strings.Fields(flags), func(flag string) bool { return slices.Contains(ignored, flag) }) {
			return true, nil
		}
	}
	if err := s.Err(); err != nil && !errors.Is(err, unix.ESRCH) {
		return false, fmt.Errorf("cannot list the mappings of process %d: %w", process, err)
	}
	return false, nil
}

// kernelVersion is the first two numbers of the kernel's release; 0 if unknown.
func kernelVersion() (major, minor int) {
	fmt.Sscanf(machine.Kernel(), "%d.%d", &major, &minor)
	return major, minor
}
