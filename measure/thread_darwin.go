package measure

import "golang.org/x/sys/unix"

// threadID returns the ID of the calling thread. The call cannot fail.
func threadID() int {
	id, _, _ := unix.RawSyscall(unix.SYS_THREAD_SELFID, 0, 0, 0)
	return int(id)
}
