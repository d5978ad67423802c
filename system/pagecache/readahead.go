package pagecache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

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
