// Package pagecache lists the pages of files that the kernel holds in memory and drops
// them, including those that other processes have mapped.
package pagecache

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Page is the unit of the page cache, in bytes.
var Page = int64(os.Getpagesize())

// Drop drops the pages of a file, written ones and those that are still to be written,
// and tells how many bytes of it stayed in memory, which kernels before 6.5 do not say.
func Drop(f *os.File) (stayed int64, err error) {
	fd := int(f.Fd())
	// Pages that are still to be written are not dropped.
	if err := unix.Fdatasync(fd); err != nil && !errors.Is(err, unix.EROFS) {
		return 0, err
	}
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED); err != nil {
		return 0, err
	}
	stat, err := cached(fd)
	if errors.Is(err, errNoCachestat) {
		return 0, nil
	}
	return int64(stat.Cache) * Page, err
}

// errNoCachestat is of kernels before 6.5, and of sandboxes that do not let the call through.
var errNoCachestat = errors.New("the kernel does not tell what of a file is in memory")

// cached is what the kernel keeps of a file.
func cached(fd int) (stat unix.Cachestat_t, err error) {
	err = unix.Cachestat(uint(fd), &unix.CachestatRange{}, &stat, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EPERM) {
		err = errNoCachestat
	}
	return stat, err
}

// resident tells of each page of a mapped file whether it is in memory. Pages need not
// be mapped for that. To ask takes time in proportion to the size of the file.
func resident(mapping []byte, pages []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_MINCORE,
		uintptr(unsafe.Pointer(unsafe.SliceData(mapping))), uintptr(len(mapping)), uintptr(unsafe.Pointer(unsafe.SliceData(pages))))
	if errno != 0 {
		return errno
	}
	return nil
}
