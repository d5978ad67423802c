package pagecache

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"getio/system/machine"
)

// PageOut unmaps and drops the pages of files on a device that a process has mapped, if it is
// still running. Pages mapped by several processes stay, and so do locked ones
// (process_madvise(2), MADV_PAGEOUT).
func PageOut(process int, device uint64) error {
	areas, err := mapped(process, device)
	if err != nil || len(areas) == 0 {
		return err
	}
	return ofProcess(process, func(fd int) error {
		for _, a := range areas {
			switch errno := a.pageOut(fd); errno {
			case 0, unix.ESRCH, unix.ENOMEM: // the process ended, or unmapped it meanwhile
			case unix.EINVAL: // locked
			case unix.EPERM, unix.ENOSYS: // no CAP_SYS_NICE, or forbidden: everything stays
				return nil
			default:
				return fmt.Errorf("cannot page out the mappings of process %d: %w", process, errno)
			}
		}
		return nil
	})
}

// area is a struct iovec in another process's memory.
type area struct{ start, length uintptr }

// mapped lists the areas where a process has mapped files of a device.
func mapped(process int, device uint64) (areas []area, err error) {
	number := fmt.Sprintf(" %02x:%02x ", unix.Major(device), unix.Minor(device))
	err = eachLine(process, "maps", func(line string) {
		if !strings.Contains(line, number) {
			return
		}
		if a, of, ok := parseMapped(line); ok && of == device {
			areas = append(areas, a)
		}
	})
	return areas, err
}

// eachLine calls do for each line of a process's list of mappings: maps or smaps. A process that has
// ended has none.
func eachLine(process int, list string, do func(line string)) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/%s", process, list))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot list the mappings of process %d: %w", process, err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		do(s.Text())
	}
	if err := s.Err(); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("cannot list the mappings of process %d: %w", process, err)
	}
	return nil
}

// parseMapped parses a line such as
//
//	7f0c00000000-7f0c00021000 r--s 00000000 07:00 12    /mnt/data.mdb
func parseMapped(line string) (a area, device uint64, ok bool) {
	var end uintptr
	var permissions, offset string
	var major, minor uint32
	if n, _ := fmt.Sscanf(strings.TrimSpace(line), "%x-%x %s %s %x:%x", &a.start, &end, &permissions, &offset, &major, &minor); n != 6 || end <= a.start {
		return area{}, 0, false
	}
	a.length = end - a.start
	return a, unix.Mkdev(major, minor), true
}

// Unseen reports whether the kernel ignores a process's accesses to the pages of a device's files that
// it has mapped. It then evicts them in the order in which it read them, however often they are used.
// Only what it reads again soon after evicting it may stay for longer (mm/workingset.c).
//
// Linux does so with what is mapped for sequential access, and since 6.3 with what is mapped for random
// access (madvise(2), MADV_RANDOM; commit 8788f6781486, "mm: add vma_has_recency()").
func Unseen(process int, device uint64) (unseen bool, err error) {
	ignored := []string{"sr"}
	if since63, known := machine.KernelSince(6, 3); known && since63 {
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

// DisableReadahead disables readahead for the files of a device that a process has open. It lasts
// until they are closed (posix_fadvise(2), POSIX_FADV_RANDOM).
func DisableReadahead(process int, device uint64) error {
	open, err := opened(process, device)
	if err != nil || len(open) == 0 {
		return err
	}
	return ofProcess(process, func(of int) error {
		for _, theirs := range open {
			err := disableReadahead(of, theirs)
			if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EBADF) { // the process ended, or closed it
				continue
			}
			if err != nil {
				return fmt.Errorf("cannot disable readahead for the files of process %d: %w", process, err)
			}
		}
		return nil
	})
}

// opened lists a process's open descriptors of regular files on a device.
func opened(process int, device uint64) (open []int, err error) {
	dir := fmt.Sprintf("/proc/%d/fd", process)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the open files of process %d: %w", process, err)
	}
	for _, e := range entries {
		var st unix.Stat_t
		number, err := strconv.Atoi(e.Name())
		if err != nil || unix.Stat(filepath.Join(dir, e.Name()), &st) != nil {
			continue // closed meanwhile
		}
		if uint64(st.Dev) == device && st.Mode&unix.S_IFMT == unix.S_IFREG {
			open = append(open, number)
		}
	}
	return open, nil
}
