// Package capability tells which of Linux's capabilities this process has, and gives up those that it needs no more. Go
// moves goroutines between threads, each of which has capabilities of its own, so they change on all threads at once.
package capability

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/cap"
)

// Has reports whether this process has a capability. Root in a container usually lacks some.
func Has(c cap.Value) bool {
	has, err := cap.GetProc().GetFlag(cap.Effective, c)
	return err == nil && has
}

// Keep gives up all capabilities but these, for good, and gains none of them. Programs that this process starts cannot have
// more, unless it lacks CAP_SETPCAP.
func Keep(kept ...cap.Value) error {
	var others []cap.Value
	for c := range cap.MaxBits() {
		if !slices.Contains(kept, c) {
			others = append(others, c)
		}
	}
	if Has(cap.SETPCAP) {
		if err := cap.DropBound(others...); err != nil {
			return fmt.Errorf("cannot take capabilities from programs that getio starts: %w", err)
		}
	}
	return lower(others, cap.Effective, cap.Permitted, cap.Inheritable)
}

// GiveUp gives up some more, unless works fails without them.
func GiveUp(works func() error, given ...cap.Value) error {
	before := cap.GetProc()
	if err := lower(given, cap.Effective); err != nil {
		return err
	}
	if works() != nil {
		return before.SetProc()
	}
	return lower(given, cap.Permitted, cap.Inheritable)
}

func lower(given []cap.Value, from ...cap.Flag) error {
	set := cap.GetProc()
	for _, flag := range from {
		if err := set.SetFlag(flag, false, given...); err != nil {
			return err
		}
	}
	if err := set.SetProc(); err != nil {
		return fmt.Errorf("cannot give up capabilities: %w", err)
	}
	return nil
}

// ToChange returns the capabilities that it takes to create, rename, link and remove files of directories: none in those of
// this user.
func ToChange(dirs ...string) []cap.Value {
	for _, dir := range dirs {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil || int(st.Uid) != os.Geteuid() || st.Mode&unix.S_IWUSR == 0 {
			return []cap.Value{cap.DAC_OVERRIDE, cap.FOWNER}
		}
	}
	return nil
}
