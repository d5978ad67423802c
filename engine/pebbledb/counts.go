package pebbledb

import (
	"fmt"

	"getio/engine"
	"getio/readpath"
	"getio/record"
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
	a.Count[readpath.Filter] = c.FilterNegatives + c.FilterMaybes
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

// Checks are the self-checks that hold for both versions of the library.
func Checks(run engine.Counts) []record.Check {
	return []record.Check{
		{
			Name:   "regions",
			OK:     run.Reads.Misplaced == 0,
			Detail: fmt.Sprintf("%d of %d reads fit no block of the region map", run.Reads.Misplaced, run.Reads.Count.Sum()),
		},
		Equal("table_opens", "footers read", run.Reads.Footers, "table cache misses", run.TableCacheMisses),
		missesWithinAccesses(run),
	}
}

// Equal is a check that two counts are the same.
func Equal(name, what string, got int64, other string, want int64) record.Check {
	return record.Check{
		Name: name, OK: got == want,
		Detail: fmt.Sprintf("%s %d, %s %d", what, got, other, want),
	}
}

// missesWithinAccesses holds the reads of each component, which the region map
// tells apart, against its accesses, which the library counts without it.
func missesWithinAccesses(run engine.Counts) record.Check {
	check := record.Check{Name: "misses_within_accesses", OK: true}
	hold := func(name string, misses, accesses int64) {
		if misses > accesses {
			check.OK = false
			check.Detail += fmt.Sprintf("%s: %d misses of %d accesses; ", name, misses, accesses)
		}
	}
	m, a := run.Reads.Count, run.Accesses.Count
	hold("filter", m[readpath.Filter], a[readpath.Filter])
	hold("top_index", m[readpath.TopIndex], a[readpath.TopIndex])
	hold("index and data", m[readpath.Index]+m[readpath.Data], a[readpath.Index]+a[readpath.Data])
	if check.OK {
		check.Detail = "no component was read more often than it was accessed"
	}
	return check
}
