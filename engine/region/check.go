package region

import (
	"fmt"

	"getio/engine"
	"getio/tree/readpath"
)

// Checks are the self-checks that hold for every engine.
func Checks(run engine.Counts) []readpath.Check {
	return append(readChecks(run), missesWithinAccesses(run))
}

// readChecks are those that hold whoever reads.
func readChecks(run engine.Counts) []readpath.Check {
	return []readpath.Check{
		{
			Name:   "regions",
			OK:     run.Reads.Misplaced == 0,
			Detail: fmt.Sprintf("%d of %d reads fit no block of the region map", run.Reads.Misplaced, run.Reads.Count.Sum()),
		},
		Equal("table_opens", "footers read", run.Reads.Footers, "table cache misses", run.TableCacheMisses),
	}
}

// WorkChecks are the self-checks that hold for every engine whose database is read
// and written to, between two moments at rest.
func WorkChecks(w engine.UpdateInterval) []readpath.Check {
	others := w.Total.Reads.Sub(w.Gets)
	var compacted int64
	for c, bytes := range others.Bytes {
		if readpath.Component(c) != readpath.TableOpen {
			compacted += bytes
		}
	}
	return append(readChecks(w.Total),
		Equal("others_filters", "filters that others than Gets read", others.Count[readpath.Filter], "that they consult", 0),
		Equal("tables_written", "bytes written to tables", w.Activity.Written.Tables,
			"bytes that the library says flushes and compactions wrote", w.Activity.LibraryTableBytes),
		readpath.Check{
			// Blocks that the cache has are not read.
			Name: "compaction_reads", OK: compacted <= w.Activity.CompactionInputBytes,
			Detail: fmt.Sprintf("others than Gets read %d bytes of tables, and the library says that compactions took in %d", compacted, w.Activity.CompactionInputBytes),
		})
}

// FiltersWithinAccesses holds the filters that Gets read against those that they
// consulted, which nobody else does.
func FiltersWithinAccesses(gets engine.Counts) readpath.Check {
	read, asked := gets.Reads.Count[readpath.Filter], gets.Accesses.Count[readpath.Filter]
	return readpath.Check{
		Name: "filters_within_accesses", OK: read <= asked,
		Detail: fmt.Sprintf("Gets read %d filters and consulted %d", read, asked),
	}
}

// Equal is a check that two counts are the same.
func Equal(name, what string, got int64, other string, want int64) readpath.Check {
	return readpath.Check{
		Name: name, OK: got == want,
		Detail: fmt.Sprintf("%s %d, %s %d", what, got, other, want),
	}
}

// missesWithinAccesses holds the reads of each component, which the region map
// tells apart, against its accesses, which the library counts without it.
func missesWithinAccesses(run engine.Counts) readpath.Check {
	check := readpath.Check{Name: "misses_within_accesses", OK: true}
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
