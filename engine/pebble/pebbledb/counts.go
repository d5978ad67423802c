package pebbledb

import (
	"getio/engine"
	"getio/engine/readpath"
)

// Accesses derives the accesses per component from the library's counters.
//
// Filter accesses are exact: the library counts each probe as a hit (key absent) or a
// miss. So are top index accesses, one per table that the table cache returns, and the sum
// of index, data and other. Opening a table looks up two blocks, metaindex and properties.
// The split of the sum is exact only if no table has a second-level index or range
// deletions (singleLevel). Otherwise it assumes one data block per probed table.
func Accesses(c engine.Counts, singleLevel bool) readpath.Accesses {
	visits := c.TableCacheHits + c.TableCacheMisses
	a := readpath.Accesses{Probed: visits - c.FilterNegatives, SplitExact: singleLevel}
	a.Count[readpath.Filter] = c.FilterNegatives + c.FilterPositives
	a.Count[readpath.TopIndex] = visits
	a.Count[readpath.TableOpen] = 3 * c.TableCacheMisses
	rest := c.BlockCacheHits + c.BlockCacheMisses -
		a.Count[readpath.Filter] - visits - 2*c.TableCacheMisses
	a.Count[readpath.Data] = rest
	if !singleLevel {
		a.Count[readpath.Data] = min(a.Probed, rest)
	}
	a.Count[readpath.Index] = rest - a.Count[readpath.Data]
	return a
}

// FilterAccesses returns the filter accesses, the only ones known for a database with
// reads by others than Gets. Only Gets consult filters.
func FilterAccesses(c engine.Counts) readpath.Accesses {
	a := readpath.Accesses{FiltersOnly: true}
	a.Count[readpath.Filter] = c.FilterNegatives + c.FilterPositives
	return a
}
