package measure

import (
	"bytes"
	"slices"
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

// batch holds keys that are looked up together.
type batch struct {
	first  int64 // number of its first Get
	keys   [][]byte
	wants  []keysource.Want
	order  []int // indexes of the keys, in key order
	sorted [][]byte
}

// draw takes the keys of n Gets.
func (b *batch) draw(gets keysource.Sequence, first int64, n int) {
	if len(b.keys) < n {
		b.keys, b.wants, b.order, b.sorted = make([][]byte, n), make([]keysource.Want, n), make([]int, n), make([][]byte, n)
	}
	b.first = first
	for i := range b.keys {
		b.keys[i], b.wants[i] = gets.Key(first+int64(i), b.keys[i])
		b.order[i] = i
	}
	slices.SortFunc(b.order, func(i, j int) int { return bytes.Compare(b.keys[i], b.keys[j]) })
	for i, k := range b.order {
		b.sorted[i] = b.keys[k]
	}
}
