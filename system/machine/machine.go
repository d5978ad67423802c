// Package machine describes the computer: its processor, kernel and memory, and whether a block
// cache fits into memory.
package machine

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// Kernel returns the kernel's release; empty if unknown.
func Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// KernelSince reports whether the kernel's release is a version or a later one. Neither it nor its opposite is known of a
// release that does not begin with two numbers.
func KernelSince(major, minor int) (since, known bool) {
	var is [2]int
	_, err := fmt.Sscanf(Kernel(), "%d.%d", &is[0], &is[1])
	return is[0] > major || is[0] == major && is[1] >= minor, err == nil
}

// Version returns the version of this program as the build recorded it, else "(devel)".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Commit returns the commit that this program was built from and its time, in parentheses; + marks
// changes that were not committed. It is empty where the build did not record it.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	vcs := map[string]string{}
	for _, s := range info.Settings {
		vcs[s.Key] = s.Value
	}
	if vcs["vcs.revision"] == "" {
		return ""
	}
	dirty := ""
	if vcs["vcs.modified"] == "true" {
		dirty = "+"
	}
	return fmt.Sprintf(" (commit %.12s%s, %s)", vcs["vcs.revision"], dirty, vcs["vcs.time"])
}

// memoryBesides is what a process may need besides its block cache, in bytes.
const memoryBesides = 512 << 20

// CacheMemory returns the memory that a full block cache of that many bytes takes.
func CacheMemory(bytes int64) int64 { return int64(memoryPerByte * float64(bytes)) }

// FitsCache returns an error if this machine does not have the memory for a block cache of that
// many bytes: filling it would make the system swap, or kill this process and perhaps others.
func FitsCache(bytes int64) error {
	need, have := CacheMemory(bytes)+memoryBesides, AvailableMemory()
	if have > 0 && need > have {
		return fmt.Errorf("a cache of %s takes about %s of memory, and %s are available: name a smaller one",
			humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(need)), humanize.IBytes(uint64(have)))
	}
	return nil
}

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
