// Package region maps each byte of a table file to a component (the table's region map), and
// counts the reads of a database's tables by component. The readers of table files make the maps.
package region

import (
	"fmt"
	"slices"

	"getio/engine/blockformat"
	"getio/engine/readpath"
)

// Extent is a range of a file, block trailers included.
type Extent struct{ Off, End int64 }

// ExtentOf returns the extent of a block with its trailer. fits reports whether it ends
// within the first size bytes of the file.
func ExtentOf(h blockformat.Handle, size int64) (e Extent, fits bool) {
	if !h.Within(size) {
		return e, false
	}
	return Extent{Off: int64(h.Off), End: int64(h.End())}, true
}

// Contains reports whether the bytes [off, end) lie in the extent.
func (e Extent) Contains(off, end int64) bool { return e.Off <= off && end <= e.End }

func (e Extent) equals(off, end int64) bool { return e.Off == off && e.End == end && off < end }

// Map is the region map of one table file or blob file. The filter, top index,
// properties and metaindex are single blocks; data and second-level index
// blocks fill their extents without gaps. Absent regions are empty.
type Map struct {
	Size       int64 // of the file
	Data       Extent
	Filter     Extent
	Index      Extent // second-level index blocks
	TopIndex   Extent
	Properties Extent
	MetaIndex  Extent
	// FilterPartitions holds the blocks of a partitioned filter, which RocksDB supports.
	// Filter is then the block that indexes them.
	FilterPartitions Extent
	Others           []Extent // other single blocks, counted as Other
	// BlobHeader and Blobs (the records) cover a blob file up to its footer.
	BlobHeader, Blobs Extent
	// Intact verifies the checksum of the stored block at off, trailer included. It is set if the library
	// ignores a damaged filter.
	Intact func(off int64, stored []byte) error
}

// CheckRead verifies the filter and the other single blocks that lie completely in p, which was read at off.
// It checks nothing if Intact is not set.
func (r *Map) CheckRead(p []byte, off int64) error {
	if r.Intact == nil {
		return nil
	}
	for _, e := range append([]Extent{r.Filter}, r.Others...) {
		if e.Off == e.End || e.Off < off || e.End > off+int64(len(p)) {
			continue
		}
		if err := r.Intact(e.Off, p[e.Off-off:e.End-off]); err != nil {
			return fmt.Errorf("its block at byte %d %w", e.Off, err)
		}
	}
	return nil
}

// IsBlobFile reports whether the file holds blobs.
func (r *Map) IsBlobFile() bool { return r.Blobs != (Extent{}) }

// Classify returns the component of a read of n bytes at off. placed is false if the read
// matches no block of the map. footer reports whether the read is that of the footer.
func (r *Map) Classify(off int64, n int) (c readpath.Component, placed, footer bool) {
	end := off + int64(n)
	switch {
	case r.Data.Contains(off, end):
		return readpath.Data, true, false
	case r.Index.Contains(off, end):
		return readpath.Index, true, false
	case r.Filter.equals(off, end), r.FilterPartitions.Contains(off, end):
		return readpath.Filter, true, false
	case r.TopIndex.equals(off, end):
		return readpath.TopIndex, true, false
	case r.Blobs.Contains(off, end):
		return readpath.Blob, true, false
	case end == r.Size && n <= blockformat.MaxFooterLen:
		return readpath.TableOpen, true, true
	case r.Properties.equals(off, end), r.MetaIndex.equals(off, end), r.BlobHeader.equals(off, end):
		return readpath.TableOpen, true, false
	}
	other := slices.ContainsFunc(r.Others, func(e Extent) bool { return e.equals(off, end) })
	return readpath.Other, other || r.Between(off, end), false
}

// isTopFilter reports whether the block at an offset is the top-level index of a partitioned filter.
func (r *Map) isTopFilter(off int64) bool { return r.FilterPartitions.End > 0 && off == r.Filter.Off }

// At returns the component of the block at an offset. Where one begins among the blocks that fill
// an extent is not known: any offset there will do.
func (r *Map) At(off int64) (c readpath.Component, ok bool) {
	begins := func(e Extent) bool { return e.Off == off && e.Off < e.End }
	switch {
	case r.Data.Contains(off, off+1):
		return readpath.Data, true
	case r.Index.Contains(off, off+1):
		return readpath.Index, true
	case begins(r.Filter), r.FilterPartitions.Contains(off, off+1):
		return readpath.Filter, true
	case begins(r.TopIndex):
		return readpath.TopIndex, true
	case begins(r.Properties), begins(r.MetaIndex):
		return readpath.TableOpen, true
	}
	return readpath.Other, slices.ContainsFunc(r.Others, begins) || r.Between(off, off+1)
}

// Between reports whether a read lies between the blocks that Gets read and the properties
// and metaindex. Range deletions, range keys and value blocks are there.
func (r *Map) Between(off, end int64) bool {
	last := max(r.Data.End, r.Filter.End, r.Index.End, r.TopIndex.End)
	return off >= last && end <= r.Properties.Off
}

// Verify checks the extents: in both layouts, the blocks that Gets read follow one another
// without gaps from the start of the file.
func (r *Map) Verify() error {
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
