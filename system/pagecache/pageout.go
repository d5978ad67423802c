package pagecache

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
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
