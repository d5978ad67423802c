// Package groundtruth counts what the library does with blocks. The test copies this file
// into the patched library.
package groundtruth

import "sync/atomic"

// Component is what a block is for, according to the function that asks for it.
type Component int

const (
	Filter Component = iota
	TopIndex
	Index // second-level
	Data
	Metaindex
	Properties
	Footer
	Other // asked for by a function that was not patched

	NumComponents = int(Other) + 1
)

// Counts are running totals per component, since the process started.
type Counts struct {
	Accesses [NumComponents]int64 // blocks asked for
	Hits     [NumComponents]int64 // found in the block cache
	Misses   [NumComponents]int64 // not found in the block cache
	Waits    [NumComponents]int64 // misses that took the block from another's read
	Reads    [NumComponents]int64 // reads of the file
}

var accesses, hits, misses, waits, reads [NumComponents]atomic.Int64

func Access(c Component) { accesses[c].Add(1) }
func Hit(c Component)    { hits[c].Add(1) }
func Miss(c Component)   { misses[c].Add(1) }
func Wait(c Component)   { waits[c].Add(1) }
func Read(c Component)   { reads[c].Add(1) }

// Now returns the totals. No Get may be running if they are to be exact.
func Now() (n Counts) {
	for c := 0; c < NumComponents; c++ { // Pebble v1 is Go 1.20
		n.Accesses[c] = accesses[c].Load()
		n.Hits[c] = hits[c].Load()
		n.Misses[c] = misses[c].Load()
		n.Waits[c] = waits[c].Load()
		n.Reads[c] = reads[c].Load()
	}
	return n
}
