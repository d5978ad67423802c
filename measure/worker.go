package measure

import (
	"time"

	"getio/measure/workload"
)

// worker makes Gets. While a batch is under way, only its own goroutine uses it.
type worker struct {
	key, value []byte // buffers
	scan       *workload.Scan
	batch      batch

	records int64 // that the phase's operations returned or, of Gets, asked for
	found   int64 // keys that they asked for, or began with, and that exist

	// Of the phase, as far as it is asked for.
	tally     tally
	histogram histogram
	latencies *latencies // nil: not asked for
	// returned is when its last Get did, on the clock of the notes.
	returned time.Duration
}

// count counts the records of an operation, or of a part of it, and whether the key
// that it asked for exists.
func (w *worker) count(records int, found bool) {
	w.records += int64(records)
	if found {
		w.found++
	}
}
