package region

import (
	"encoding/binary"
	"sync/atomic"

	"getio/engine"
	"getio/tree/blockformat"
	"getio/tree/readpath"
)

// counterShards is how many cells a Counter spreads its reads over, by table,
// so that concurrent Gets seldom share a cache line. A power of two.
const counterShards = 16

// Counter counts the reads of a database's tables. It is safe for concurrent
// use and counts a read with at most three atomic additions.
type Counter struct {
	// Trace, if it is set, is told of every read.
	Trace func(engine.TableRead)
	// CachesProperties: the library puts a table's properties into the block
	// cache when it opens the table. (v1 does; the metaindex, neither.)
	CachesProperties bool

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
	regions *Map
	cell    *cell
	file    uint64
	of      *Counter
}

// Table returns the counter of the table with the given file number.
func (c *Counter) Table(file uint64, regions *Map) TableCounter {
	return TableCounter{regions: regions, cell: &c.cells[file%counterShards], file: file, of: c}
}

// Count counts one read of n bytes at off, and tells what it is for.
func (t TableCounter) Count(off int64, n int) readpath.Component {
	component, placed, footer := t.regions.Classify(off, n)
	t.cell.count[component].Add(1)
	t.cell.bytes[component].Add(int64(n))
	if footer {
		t.cell.footers.Add(1)
	}
	if !placed {
		t.cell.misplaced.Add(1)
	}
	return component
}

// CountOpening counts one read of n bytes at off that is known to be made to open the
// table, whatever it reads.
func (t TableCounter) CountOpening(off int64, n int) {
	_, _, footer := t.regions.Classify(off, n)
	t.cell.count[readpath.TableOpen].Add(1)
	t.cell.bytes[readpath.TableOpen].Add(int64(n))
	if footer {
		t.cell.footers.Add(1)
	}
}

// Trace tells of a read that was counted and made, if anyone wants to know.
func (t *TableCounter) Trace(component readpath.Component, p []byte, off int64) {
	if t.of.Trace == nil {
		return
	}
	read := engine.TableRead{File: t.file, Offset: off, Length: len(p), Component: component}
	if component != readpath.TableOpen || t.of.CachesProperties && t.regions.Properties.equals(off, off+int64(len(p))) {
		read.Block = unpackedSize(p)
	}
	t.of.Trace(read)
}

// unpackedSize is the size of a stored block once it is decompressed; 0 if it
// does not say. Snappy says it itself; in front of the others the libraries do.
func unpackedSize(stored []byte) int {
	body := len(stored) - blockformat.TrailerLen
	if body < 0 {
		return 0
	}
	switch stored[body] {
	case blockformat.Plain:
		return body
	case blockformat.Snappy, blockformat.Zlib, blockformat.BZip2, blockformat.LZ4, blockformat.LZ4HC, blockformat.Zstd:
		n, _ := binary.Uvarint(stored[:body])
		return int(n)
	}
	return 0
}
