package engines_test

import "golang.org/x/sys/unix"

func threadID() int {
	id, _, _ := unix.RawSyscall(unix.SYS_THREAD_SELFID, 0, 0, 0)
	return int(id)
}
