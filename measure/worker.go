package measure

import (
	"time"

	"getio/measure/keysource"
)

// worker makes Gets. During a batch, only its own goroutine uses it.
type worker struct {
	key, value []byte // buffers
	scan       *keysource.Scan
	batch      batch

	records int64 // returned by the phase's operations or, for Gets, looked up
	found   int64 // keys looked up that exist; for a scan, only its first

	// Of the phase, if recorded.
	tally     tally
	histogram histogram
	latencies *latencies // nil: not recorded
	// returned is when its last Get returned, by the recorder's clock.
	returned time.Duration
}

// count counts the records of an operation, or of a part of it, and whether its key exists.
func (w *worker) count(records int, found bool) {
	w.records += int64(records)
	if found {
		w.found++
	}
}
