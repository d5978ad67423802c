package region

import (
	"encoding/binary"
	"sync/atomic"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/readpath"
)

// counterShards is the number of cells of a Counter, a power of two. Tables are spread over
// them, so that concurrent Gets seldom share a cache line.
const counterShards = 16

// Counter counts the reads of a database's tables. It is safe for concurrent
// use and counts a read with at most four atomic additions.
type Counter struct {
	// Trace, if set, is called for every read.
	Trace func(engine.TableRead)
	// CachesProperties means that opening a table puts its properties into the block
	// cache, as Pebble v1 does. No library caches the metaindex.
	CachesProperties bool

	cells [counterShards]cell
}

type cell struct {
	count     [readpath.NumComponents]atomic.Int64
	bytes     [readpath.NumComponents]atomic.Int64
	pages     atomic.Int64
	footers   atomic.Int64
	misplaced atomic.Int64
	_         [15 * 8]byte // fills the second pair of cache lines
}

// Reads returns the sum of the counted reads.
func (c *Counter) Reads() readpath.Reads {
	var r readpath.Reads
	for i := range c.cells {
		cell := &c.cells[i]
		for k := range readpath.NumComponents {
			r.Count[k] += cell.count[k].Load()
			r.Bytes[k] += cell.bytes[k].Load()
		}
		r.Pages += cell.pages.Load()
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

// Count counts one read of n bytes at off and returns its component.
func (t TableCounter) Count(off int64, n int) readpath.Component {
	component, placed, footer := t.regions.Classify(off, n)
	t.count(component, off, n, footer)
	if !placed {
		t.cell.misplaced.Add(1)
	}
	return component
}

func (t TableCounter) count(c readpath.Component, off int64, n int, footer bool) {
	t.cell.count[c].Add(1)
	t.cell.bytes[c].Add(int64(n))
	t.cell.pages.Add(readpath.Pages(off, n))
	if footer {
		t.cell.footers.Add(1)
	}
}

// Misplace marks a read that was already counted as misplaced.
func (t TableCounter) Misplace() { t.cell.misplaced.Add(1) }

// CountOpening counts one read of n bytes at off as part of opening the table, whatever
// region it is in.
func (t TableCounter) CountOpening(off int64, n int) {
	_, _, footer := t.regions.Classify(off, n)
	t.count(readpath.TableOpen, off, n, footer)
}

// Trace calls the Counter's Trace, if set, for a read that was counted and made. hash is as in engine.TableRead.
func (t *TableCounter) Trace(component readpath.Component, p []byte, off int64, hash uint32) {
	if t.of.Trace == nil {
		return
	}
	read := engine.TableRead{File: t.file, Offset: off, Length: len(p), Component: component, TopFilter: t.regions.isTopFilter(off), CacheHash: hash}
	if component.Cached() || t.of.CachesProperties && t.regions.Properties.equals(off, off+int64(len(p))) {
		read.Block = unpackedSize(p)
	}
	t.of.Trace(read)
}

// unpackedSize returns the decompressed size of a stored block, or 0 if it is unknown.
// Snappy records it; for other compressions, the libraries store it in front.
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
