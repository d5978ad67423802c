package device

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// setDirect has reads through the descriptor pass the page cache.
func setDirect(fd int) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_DIRECT)
	}
	return err
}

// drop drops the file's pages, and tells how many bytes of it stayed in memory,
// which kernels before 6.5 do not say.
func drop(f *os.File) (stayed int64, err error) {
	fd := int(f.Fd())
	// Pages that are still to be written are not dropped.
	if err := unix.Fdatasync(fd); err != nil && !errors.Is(err, unix.EROFS) {
		return 0, err
	}
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED); err != nil {
		return 0, err
	}
	var stat unix.Cachestat_t
	err = unix.Cachestat(uint(fd), &unix.CachestatRange{}, &stat, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EPERM) {
		return 0, nil
	}
	return int64(stat.Cache) * int64(os.Getpagesize()), err
}

// threadBytes are the bytes that the kernel read from devices for this thread. It
// counts them in units of 512 (getrusage, ru_inblock).
func threadBytes() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return int64(u.Inblock) * 512
}
