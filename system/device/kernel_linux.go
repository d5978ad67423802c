package device

import "golang.org/x/sys/unix"

// setDirect has reads through the descriptor pass the page cache.
func setDirect(fd int) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_DIRECT)
	}
	return err
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
