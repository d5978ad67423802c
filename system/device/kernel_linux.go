package device

import "golang.org/x/sys/unix"

// supports returns nil: Linux can treat the page cache in all ways.
func supports(PageCache) error { return nil }

// setDirect makes reads through the descriptor bypass the page cache.
func setDirect(fd int) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_DIRECT)
	}
	return err
}

// threadBytes returns the bytes that the kernel has read from devices for this thread. It counts
// in units of 512 (getrusage, ru_inblock).
func threadBytes() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return int64(u.Inblock) * 512
}
