package sstfile

import (
	"fmt"

	"getio/tree/blockformat"

	"getio/engine/region"
	"getio/tree/readpath"
)

// Check holds every table's region map against what the table's properties
// say: with the reads that fit no block, it is how a map that has gone wrong is
// noticed.
func (c *Catalog) Check() readpath.Check {
	check := readpath.Check{Name: "region_map", OK: true, Detail: fmt.Sprintf("the maps of %d tables agree with their properties", len(c.tables))}
	for _, t := range c.tables {
		if err := t.agree(); err != nil {
			return readpath.Check{Name: check.Name, Detail: fmt.Sprintf("table %s: %v", t.ref.Path, err)}
		}
	}
	return check
}

// agree tells whether the map has the table's blocks, one after the other.
func (t *table) agree() error {
	r := &t.regions
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

// filterLen is the length of the filter block in the file, 0 without a filter.
// The filter of a table of range deletions alone has no bytes but a trailer.
func (t *table) filterLen() int64 {
	if t.props.FilterPolicyName == "" {
		return 0
	}
	return int64(t.props.FilterSize) + blockformat.TrailerLen
}
