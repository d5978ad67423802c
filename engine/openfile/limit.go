// Package openfile says how many files the process may have open, and what share
// of them each purpose gets.
package openfile

import (
	"fmt"

	"golang.org/x/sys/unix"

	"getio/engine"
)

// Limit is how many files the process may have open, up to what any database
// needs. The Go runtime has already raised the soft limit to the hard one.
func Limit() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 1 << 10
	}
	return int(min(limit.Cur, 1<<20))
}

// ForDatabase gives half of the process's descriptor limit to tables, as geth does
// (cmd/utils/flags.go, MakeDatabaseHandles), or less where the limit is low and a
// measurement's other files need the rest.
func ForDatabase() int { return min(Limit()/2, mostForDatabase()) }

// mostForDatabase leaves what a measurement needs for others: two auxiliary opens,
// the files that keys are sampled from, and a few more.
func mostForDatabase() int {
	limit := Limit()
	rest := limit - 2*engine.AuxiliaryOpenFiles - ForSampling() - 64
	return max(rest, limit/4)
}

// Require refuses to have more files open for a database of so many tables than the
// process may.
func Require(files, tables int) error {
	if most := mostForDatabase(); min(files, tables) > most {
		return fmt.Errorf("max_open_files is %d, and this process may have %d files open, of which %d are left for tables: take at most %d, or raise the limit of open files (ulimit -n)",
			files, Limit(), most, most)
	}
	return nil
}

// maxSampled is more than enough to sample quickly from.
const maxSampled = 512

// ForSampling is how many tables may be kept open to sample keys from.
func ForSampling() int { return min(maxSampled, Limit()/8) }

// ForVirtual is how many files of virtual tables may be open at a time.
func ForVirtual() int { return Limit() / 2 }
