package watch

import "golang.org/x/sys/unix"

// pidfdOpen returns a descriptor of a process.
func pidfdOpen(pid int) (int, error) { return unix.PidfdOpen(pid, 0) }
