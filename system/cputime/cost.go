// Package cputime measures what a stretch of work takes.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Cost is what work took.
type Cost struct {
	Wall time.Duration
	CPU  time.Duration // of the whole process: the libraries' goroutines count
}

// Add adds the cost of further work.
func (c *Cost) Add(more Cost) {
	c.Wall += more.Wall
	c.CPU += more.CPU
}

// Start begins to measure; stop tells what the work since then took.
func Start() (stop func() Cost) {
	start, startCPU := time.Now(), processCPU()
	return func() Cost { return Cost{Wall: time.Since(start), CPU: processCPU() - startCPU} }
}

// processCPU is the processor time that this process has used.
func processCPU() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
