package pebbledb

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"getio/engine/ondisk"
)

// RunningMemtables is the number of memtables of a program that writes: it writes to one, and another one is being
// flushed or is kept to be used again (Pebble: db.go, memTableRecycle). Under heavy writes there are up to four.
const RunningMemtables = 2

// ReopenedMemtables returns the bytes of the two memtables that Pebble reserves after it replayed a short
// log. Each is twice as large as the one before, from initialMemTable on. Version 1 replays the log into the
// second one and keeps writing to it. Version 2 flushes the second one, keeps its memory for reuse, and writes
// to a third one (Pebble: open.go, Open and replayWAL; db.go, newMemTable). After a long log they are larger.
func ReopenedMemtables(version int) int64 {
	if version == 1 {
		return initialMemTable + 2*initialMemTable
	}
	return 2*initialMemTable + 4*initialMemTable
}

// mostRotations is more than there are until a memtable has its full size.
const mostRotations = 20

// FirstMemtable reports whether a program that has the database open still writes to the memtable that
// it began with: Pebble opens the log of that one before it numbers its options file (Pebble: open.go, Open).
func FirstMemtable(dir string) bool {
	log, options := newestLogAndOptions(dir)
	return 0 < log && log < options
}

// RunningMemtableBytes estimates the bytes of the memtables of a program that has the database open, each of which can
// grow to size. Each new one is twice as large as the one before, and their number is bounded by the number of files since
// the options file.
func RunningMemtableBytes(dir string, version int, size int64) int64 {
	log, options := newestLogAndOptions(dir)
	if rotations := log - options; log > 0 && rotations < mostRotations {
		return min(RunningMemtables*size, ReopenedMemtables(version)<<max(rotations, 0))
	}
	return RunningMemtables * size
}

// newestLogAndOptions returns file numbers; 0 for a missing file.
func newestLogAndOptions(dir string) (log, options int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0
	}
	for _, e := range entries {
		if digits, ok := strings.CutPrefix(e.Name(), "OPTIONS-"); ok {
			n, _ := strconv.Atoi(digits)
			options = max(options, n)
		} else if digits, ok := strings.CutSuffix(e.Name(), ".log"); ok {
			n, _ := strconv.Atoi(digits)
			log = max(log, n)
		}
	}
	return log, options
}

// MemtableShare estimates which share of the block cache the memtables of a program take that has the database open. It
// returns 0 if the options file does not say how large the cache is.
func MemtableShare(dir string, version int) float64 {
	_, options := newestLogAndOptions(dir)
	written, err := ondisk.Options(filepath.Join(dir, fmt.Sprintf("OPTIONS-%06d", options)))
	if err != nil {
		return 0
	}
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(written["Options."+name], 10, 64)
		return n
	}
	cache := number("cache_size")
	if cache <= 0 {
		return 0
	}
	return min(float64(RunningMemtableBytes(dir, version, number("mem_table_size")))/float64(cache), 1)
}
