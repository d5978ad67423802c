package region

import (
	"fmt"

	"getio/engine"
	"getio/readpath"
	"getio/record"
)

// Checks are the self-checks that hold for every engine.
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
