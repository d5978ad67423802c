// Package capability tells which of Linux's capabilities this process has, and gives up those that it needs no more. Go
// moves goroutines between threads, each of which has capabilities of its own, so they change on all threads at once.
// Other kernels have none.
package capability

import (
	"os"

	"golang.org/x/sys/unix"
)

// Capability is the number of a capability (Linux's include/uapi/linux/capability.h).
type Capability int

// The capabilities that getio asks for.
const (
	DACOverride   Capability = 1
	DACReadSearch Capability = 2
	FOwner        Capability = 3
	SetPCap       Capability = 8
	SysPtrace     Capability = 19
	SysAdmin      Capability = 21
	PerfMon       Capability = 38
	BPF           Capability = 39
)

// ToChange returns the capabilities that it takes to create, rename, link and remove files of directories: none in those of
// this user.
func ToChange(dirs ...string) []Capability {
	for _, dir := range dirs {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil || int(st.Uid) != os.Geteuid() || st.Mode&unix.S_IWUSR == 0 {
			return []Capability{DACOverride, FOwner}
		}
	}
	return nil
}
