// Package cputime measures how long work takes, in wall-clock and processor time.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Elapsed holds the time that work took.
type Elapsed struct {
	Wall time.Duration
	CPU  time.Duration // of the whole process, including the libraries' goroutines
}

// Add adds the time of further work.
func (e *Elapsed) Add(more Elapsed) {
	e.Wall += more.Wall
	e.CPU += more.CPU
}

// StartTimer starts measuring; stop returns the time since then.
func StartTimer() (stop func() Elapsed) {
	start, startCPU := time.Now(), processCPU()
	return func() Elapsed { return Elapsed{Wall: time.Since(start), CPU: processCPU() - startCPU} }
}

// processCPU returns the processor time that this process has used.
func processCPU() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
