package sstfile

import (
	"fmt"

	"getio/tree/blockformat"

	"getio/engine/region"
)

// Verify compares the region map with the properties, and the blocks with one another.
func (t *table) Verify() error {
	r := &t.Regions
	if got := r.Filter.End - r.Filter.Off; got != t.filterLen() {
		return fmt.Errorf("its filter is mapped to %d bytes", got)
	}
	if r.Data != (region.Extent{Off: 0, End: int64(t.props.DataSize)}) {
		return fmt.Errorf("its data blocks are mapped to bytes %d to %d", r.Data.Off, r.Data.End)
	}
	if r.TopIndex != extent(t.top) {
		return fmt.Errorf("its top index is mapped to bytes %d to %d", r.TopIndex.Off, r.TopIndex.End)
	}
	return r.Verify()
}

// filterLen returns the length of the filter block in the file, 0 without a filter. The
// filter of a table with only range deletions is just a trailer.
func (t *table) filterLen() int64 {
	if t.props.FilterPolicyName == "" {
		return 0
	}
	return int64(t.props.FilterSize) + blockformat.TrailerLen
}
