package region

import (
	"fmt"
	"strings"

	"getio/engine"
	"getio/engine/readpath"
)

// Checks returns the self-checks that apply to every engine.
func Checks(run engine.Counts) []readpath.Check {
	return append(readChecks(run), missesWithinAccesses(run))
}

// readChecks returns the self-checks that apply to all reads, not only those of Gets.
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

// WorkChecks returns the self-checks of an interval of reads and writes that starts and
// ends with an idle database. They apply to every engine.
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
			// Cached blocks are not read.
			Name: "compaction_reads", OK: compacted <= w.Activity.CompactionInputBytes,
			Detail: fmt.Sprintf("others than Gets read %d bytes of tables, and the library says that compactions took in %d", compacted, w.Activity.CompactionInputBytes),
		})
}

// FiltersWithinAccesses compares the filter reads of Gets with their filter accesses. Only
// Gets consult filters.
func FiltersWithinAccesses(gets engine.Counts) readpath.Check {
	read, asked := gets.Reads.Count[readpath.Filter], gets.Accesses.Count[readpath.Filter]
	return readpath.Check{
		Name: "filters_within_accesses", OK: read <= asked,
		Detail: fmt.Sprintf("Gets read %d filters and consulted %d", read, asked),
	}
}

// Equal returns the check that two counts are equal.
func Equal(name, what string, got int64, other string, want int64) readpath.Check {
	return readpath.Check{
		Name: name, OK: got == want,
		Detail: fmt.Sprintf("%s %d, %s %d", what, got, other, want),
	}
}

// missesWithinAccesses compares the reads of each component, as the region map classifies
// them, with its accesses, which the library counts independently. It counts index and data
// together, and nothing of the other blocks.
func missesWithinAccesses(run engine.Counts) readpath.Check {
	of := func(all readpath.PerComponent) (counted readpath.PerComponent) {
		counted[readpath.Filter], counted[readpath.TopIndex] = all[readpath.Filter], all[readpath.TopIndex]
		counted[readpath.Data] = all[readpath.Index] + all[readpath.Data]
		return counted
	}
	return MissesWithinAccesses(of(run.Reads.Count), of(run.Accesses.Count))
}

// MissesWithinAccesses checks that no component was read more often than it was accessed.
func MissesWithinAccesses(misses, accesses readpath.PerComponent) readpath.Check {
	check := readpath.Check{Name: "misses_within_accesses", OK: true, Detail: "no component was read more often than it was accessed"}
	var wrong []string
	for _, c := range readpath.Components() {
		if misses[c] > accesses[c] {
			wrong = append(wrong, fmt.Sprintf("%s: %d misses of %d accesses", c, misses[c], accesses[c]))
		}
	}
	if wrong != nil {
		check.OK, check.Detail = false, strings.Join(wrong, "; ")
	}
	return check
}
