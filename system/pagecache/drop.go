// Package pagecache lists the pages of files that the kernel holds in memory and drops them,
// including those that other processes have mapped.
package pagecache

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Page is the unit of the page cache, in bytes.
var Page = int64(os.Getpagesize())

// Drop writes back and drops the pages of a file. It returns the number of bytes that stayed in
// memory, or 0 on kernels before 6.5, which do not report it.
func Drop(f *os.File) (stayed int64, err error) {
	fd := int(f.Fd())
	// The kernel does not drop dirty pages.
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

// Cached returns how many bytes of a file are in the page cache. Kernels before 6.5 do not tell;
// then known is false.
func Cached(f *os.File) (bytes int64, known bool, err error) {
	stat, err := cached(int(f.Fd()))
	if errors.Is(err, errNoCachestat) {
		return 0, false, nil
	}
	return int64(stat.Cache) * Page, err == nil, err
}

// errNoCachestat means a kernel before 6.5, or a sandbox that forbids the call.
var errNoCachestat = errors.New("the kernel has no cachestat")

// cached returns the kernel's page cache statistics of a file.
func cached(fd int) (stat unix.Cachestat_t, err error) {
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
