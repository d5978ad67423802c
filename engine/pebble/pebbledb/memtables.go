package pebbledb

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"getio/engine/ondisk"
)

// RunningMemtables is how many memtables a program has that writes: the one that it writes to, and one that is
// being flushed, or was and is kept to be used again (Pebble: db.go, memTableRecycle). Under heavy writes it
// has up to four.
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

// FirstMemtable reports whether a program that has the database open still writes to the memtable that
// it began with: Pebble opens the log of that one before it numbers its options file (Pebble: open.go, Open).
func FirstMemtable(dir string) bool {
	log, options := newestLogAndOptions(dir)
	return 0 < log && log < options
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

// MemtableShare returns the share of the block cache that the memtables of a program take which has the database
// open; 0 if the options file does not say how large they are.
func MemtableShare(dir string, version int) float64 {
	log, options := newestLogAndOptions(dir)
	written, err := ondisk.Options(filepath.Join(dir, fmt.Sprintf("OPTIONS-%06d", options)))
	if err != nil {
		return 0
	}
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(written["Options."+name], 10, 64)
		return n
	}
	memtables := RunningMemtables * number("mem_table_size")
	if 0 < log && log < options {
		memtables = min(memtables, ReopenedMemtables(version))
	}
	if cache := number("cache_size"); cache > 0 {
		return min(float64(memtables)/float64(cache), 1)
	}
	return 0
}
