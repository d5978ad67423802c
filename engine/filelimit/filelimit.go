// Package filelimit divides the files that the process may have open between purposes, and
// reads many files at a time.
package filelimit

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"getio/engine"
)

// Limit returns how many files the process may have open, at most as many as any database
// needs. The Go runtime has raised the soft limit to the hard one.
func Limit() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 1 << 10
	}
	return int(min(limit.Cur, 1<<20))
}

// ForDatabase returns half of the limit, as in geth (cmd/utils/flags.go, MakeDatabaseHandles), or
// less if the limit is low and a measurement's other files need the rest.
func ForDatabase() int { return min(Limit()/2, mostForDatabase()) }

// mostForDatabase leaves room for the other files of a measurement: those of two auxiliary
// opens, those that keys are sampled from, and a few more.
func mostForDatabase() int {
	limit := Limit()
	rest := limit - 2*engine.AuxiliaryOpenFiles - ForSampling() - 64
	return max(rest, limit/4)
}

// Require returns an error if max_open_files, for a database with the given number of
// files (tables and blob files), is more than the process may have open.
func Require(maxOpen, files int) error {
	if most := mostForDatabase(); min(maxOpen, files) > most {
		return fmt.Errorf("max_open_files is %d, and this process may have %d files open, of which %d are left for the database: set at most %d, or raise the limit of open files (ulimit -n)",
			maxOpen, Limit(), most, most)
	}
	return nil
}

// maxSampled is enough to sample quickly.
const maxSampled = 512

// ForSampling returns how many tables may stay open to sample keys from.
func ForSampling() int { return min(maxSampled, Limit()/8) }

// ForVirtual returns how many files of virtual tables may be open.
func ForVirtual() int { return Limit() / 2 }

// Each calls read for files, or places in them, 0 to n-1, several at a time, so that reads of a cold disk
// overlap. It returns the first error.
func Each(ctx context.Context, n int, read func(i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4 * runtime.NumCPU())
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return read(i)
		})
	}
	return group.Wait()
}
