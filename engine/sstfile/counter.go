package sstfile

import (
	"sync/atomic"

	"getio/readpath"
)

// counterShards is how many cells a Counter spreads its reads over, by table,
// so that concurrent Gets seldom share a cache line. A power of two.
const counterShards = 16

// Counter counts the reads of a database's tables. It is safe for concurrent
// use and counts a read with at most three atomic additions.
type Counter struct {
	cells [counterShards]cell
}

type cell struct {
	count     [readpath.NumComponents]atomic.Int64
	bytes     [readpath.NumComponents]atomic.Int64
	footers   atomic.Int64
	misplaced atomic.Int64
	_         [2 * 8]byte // fills the second pair of cache lines
}

// Reads sums what has been counted.
func (c *Counter) Reads() readpath.Reads {
	var r readpath.Reads
	for i := range c.cells {
		cell := &c.cells[i]
		for k := range readpath.NumComponents {
			r.Count[k] += cell.count[k].Load()
			r.Bytes[k] += cell.bytes[k].Load()
		}
		r.Footers += cell.footers.Load()
		r.Misplaced += cell.misplaced.Load()
	}
	return r
}

// TableCounter counts the reads of one table.
type TableCounter struct {
	regions *Regions
	cell    *cell
}

// Table returns the counter of the table with the given file number.
func (c *Counter) Table(file uint64, regions *Regions) TableCounter {
	return TableCounter{regions: regions, cell: &c.cells[file%counterShards]}
}

// Count counts one read of n bytes at off.
func (t TableCounter) Count(off int64, n int) {
	component, placed, footer := t.regions.Classify(off, n)
	t.cell.count[component].Add(1)
	t.cell.bytes[component].Add(int64(n))
	if footer {
		t.cell.footers.Add(1)
	}
	if !placed {
		t.cell.misplaced.Add(1)
	}
}
