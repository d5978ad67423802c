package pebbledb

import (
	"getio/engine"
	"getio/tree/readpath"
)

// Accesses derives the accesses per component from the library's counters.
//
// Exact are: filters, each probe of which the library counts as a hit (the key
// is not there) or a miss; top indexes, one for each table that the table
// cache hands out; and the sum of index, data and other. Opening a table looks
// two blocks up (metaindex, properties). How that sum is shared is exact only
// where no table has a second-level index (and none has range deletions); else
// data is taken as one block per table probed.
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

// FilterAccesses are the accesses that are known of a database which others than
// Gets read too: these consult no filters.
func FilterAccesses(c engine.Counts) readpath.Accesses {
	a := readpath.Accesses{FiltersOnly: true}
	a.Count[readpath.Filter] = c.FilterNegatives + c.FilterPositives
	return a
}
