package filelock

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Holder names the process that has an exclusive lock on a file, as in ", geth (process 1234)". It is
// empty if the kernel does not tell: the process may be in another namespace, or have ended, and
// some file systems give a file another device in /proc/locks than in stat(2).
func Holder(path string) string {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	pid := exclusiveHolder(string(locks), fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(stat.Dev)), unix.Minor(uint64(stat.Dev)), stat.Ino))
	if pid == "" {
		return ""
	}
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", %s (process %s)", strings.TrimSpace(string(name)), pid)
}

// exclusiveHolder finds the process with an exclusive lock on a file in the text of /proc/locks, or
// returns "". Its lines are "1: POSIX  ADVISORY  WRITE 1234 fe:00:5678 0 EOF" (proc(5)); those of
// processes that wait for a lock have "->" after the number.
func exclusiveHolder(locks, file string) string {
	for line := range strings.Lines(locks) {
		if f := strings.Fields(line); len(f) == 8 && f[3] == "WRITE" && f[5] == file {
			return f[4]
		}
	}
	return ""
}
