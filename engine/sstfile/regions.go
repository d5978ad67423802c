// Package sstfile knows the table files (sstables) that both versions of Pebble
// write: which component each byte belongs to, what a table holds, how its
// reads are counted and how its keys are sampled.
//
// It reads table tails with the newest library's table reader, which also
// reads every format that the older one writes. Lookups are never made through
// it: each engine measures its own library.
package sstfile

import (
	"fmt"

	"getio/readpath"
)

// BlockTrailerLen is the compression byte and the checksum behind each block.
const BlockTrailerLen = 5

// maxFooterLen is the most that either library reads as a table's tail: the
// longest footer that it knows (v1: 53 bytes, v2: 61).
const maxFooterLen = 61

// Extent is a range of a file, block trailers included.
type Extent struct{ Off, End int64 }

func (e Extent) equals(off, end int64) bool   { return e.Off == off && e.End == end && off < end }
func (e Extent) contains(off, end int64) bool { return e.Off <= off && end <= e.End }

// Regions is the region map of one table file. The filter, top index,
// properties and metaindex are single blocks; data and second-level index
// blocks fill their extents without gaps. Absent regions are empty.
type Regions struct {
	Size       int64 // of the file
	Data       Extent
	Filter     Extent
	Index      Extent // second-level index blocks
	TopIndex   Extent
	Properties Extent
	MetaIndex  Extent
}

// Classify tells what a read of n bytes at off is for. placed is false if the
// read fits no block of the map; footer tells a footer from the other reads
// of a table's opening.
func (r *Regions) Classify(off int64, n int) (c readpath.Component, placed, footer bool) {
	end := off + int64(n)
	switch {
	case r.Data.contains(off, end):
		return readpath.Data, true, false
	case r.Index.contains(off, end):
		return readpath.Index, true, false
	case r.Filter.equals(off, end):
		return readpath.Filter, true, false
	case r.TopIndex.equals(off, end):
		return readpath.TopIndex, true, false
	case end == r.Size && n <= maxFooterLen:
		return readpath.TableOpen, true, true
	case r.Properties.equals(off, end), r.MetaIndex.equals(off, end):
		return readpath.TableOpen, true, false
	}
	return readpath.Other, r.between(off, end), false
}

// between tells whether a read lies in the gap between the blocks that Get
// reads and the table's own description, where range deletions, range keys and
// value blocks are.
func (r *Regions) between(off, end int64) bool {
	last := max(r.Data.End, r.Filter.End, r.Index.End, r.TopIndex.End)
	return off >= last && end <= r.Properties.Off
}

// verify holds the map's extents against each other: in both layouts, the
// blocks that Get reads follow one another without a gap from the file's start.
func (r *Regions) verify() error {
	order := []Extent{r.Data, r.Filter, r.Index, r.TopIndex}
	if r.Filter.Off > r.TopIndex.Off {
		order = []Extent{r.Data, r.Index, r.TopIndex, r.Filter}
	}
	at := int64(0)
	for _, e := range order {
		if e.Off == e.End {
			continue
		}
		if e.Off != at || e.End < e.Off {
			return fmt.Errorf("its blocks leave a gap at byte %d (next block at %d)", at, e.Off)
		}
		at = e.End
	}
	if r.Properties.Off < at || r.MetaIndex.Off < at || r.MetaIndex.End > r.Size {
		return fmt.Errorf("its properties at byte %d lie among its blocks, which end at %d", r.Properties.Off, at)
	}
	return nil
}
