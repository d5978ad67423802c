package statedb

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startOnOneProcessor starts a command that sees and uses one processor only: the first that this process may use.
func startOnOneProcessor(cmd *exec.Cmd) (err error) {
	runtime.LockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("cannot read which processors may be used: %w", err)
	}
	for i := 0; one.Count() == 0; i++ {
		if all.IsSet(i) {
			one.Set(i)
		}
	}
	defer func() {
		if again := unix.SchedSetaffinity(0, &all); again != nil {
			err = errors.Join(err, again)
			return // the thread stays locked, and ends with its goroutine
		}
		runtime.UnlockOSThread()
	}()
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return fmt.Errorf("cannot use one processor only: %w", err)
	}
	return cmd.Start()
}
