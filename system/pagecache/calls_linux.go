package pagecache

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func dropPages(fd int) error {
	// The kernel does not drop dirty pages.
	if err := unix.Fdatasync(fd); err != nil && !errors.Is(err, unix.EROFS) {
		return err
	}
	return unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
}

type cachestat = unix.Cachestat_t

// cached returns the kernel's page cache statistics of a file.
func cached(fd int) (stat cachestat, err error) {
	err = unix.Cachestat(uint(fd), &unix.CachestatRange{}, &stat, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EPERM) {
		err = errNoCachestat
	}
	return stat, err
}

// resident sets for each page of a mapped file whether it is in memory, even if the page itself
// is not mapped. Its time is proportional to the size of the file.
func resident(mapping []byte, pages []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_MINCORE,
		uintptr(unsafe.Pointer(unsafe.SliceData(mapping))), uintptr(len(mapping)), uintptr(unsafe.Pointer(unsafe.SliceData(pages))))
	if errno != 0 {
		return errno
	}
	return nil
}

// ExpectRandomReads tells the kernel that a file is read at random, so that it does not read ahead. It is a hint: failure
// does no harm.
func ExpectRandomReads(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) }

// disableReadahead disables readahead for an open file of a process.
func disableReadahead(process, theirs int) error {
	fd, err := unix.PidfdGetfd(process, theirs, 0)
	if err == nil {
		err = unix.Fadvise(fd, 0, 0, unix.FADV_RANDOM)
		unix.Close(fd)
	}
	return err
}

// ofProcess calls do with a descriptor of a process, if it is still running.
func ofProcess(process int, do func(fd int) error) error {
	fd, err := unix.PidfdOpen(process, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot access process %d: %w", process, err)
	}
	defer unix.Close(fd)
	return do(fd)
}

// pageOut pages an area out. One call of the kernel takes a little less than 2 GiB of it, and says
// how much.
func (a area) pageOut(process int) unix.Errno {
	for a.length > 0 {
		n, _, errno := unix.Syscall6(unix.SYS_PROCESS_MADVISE, uintptr(process), uintptr(unsafe.Pointer(&a)), 1, unix.MADV_PAGEOUT, 0, 0)
		if errno != 0 || n == 0 {
			return errno
		}
		a.start, a.length = a.start+n, a.length-n
	}
	return 0
}
