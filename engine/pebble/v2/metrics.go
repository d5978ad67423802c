package pebblev2

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/readpath"
	"getio/engine/region"
)

// cachesProperties: opening a table does not put its properties into the block cache.
const cachesProperties = false

// addLibraryCounts adds the metrics that differ between the versions. Block cache misses
// exceed reads by the Gets that waited for another Get's read of the same block.
func addLibraryCounts(c *engine.Counts, m *pebble.Metrics) {
	c.TableCacheHits, c.TableCacheMisses = m.FileCache.Hits, m.FileCache.Misses
	c.CategoryBytes = categoryBytes(m, ofGets)
	shared := c.BlockCacheMisses - (c.Reads.Count.Sum() - c.Reads.Footers)
	c.SharedLoads = &shared
}

// ofGets reports whether a category is that of Gets (Pebble: metrics.go), or of the
// iterators that replace them.
func ofGets(category string) bool {
	return category == "pebble-get" || category == iterCategory.String()
}

// categoryBytes sums the bytes of block cache misses in the given categories: index, data
// and filter blocks without their trailers.
func categoryBytes(m *pebble.Metrics, of func(name string) bool) *int64 {
	var n int64
	for _, s := range m.CategoryStats {
		if of(s.Category.String()) {
			n += int64(s.CategoryStats.BlockBytes - s.CategoryStats.BlockBytesInCache)
		}
	}
	return &n
}

// libraryChecks returns the checks of a run against the library's own counts.
func libraryChecks(run engine.Counts) []readpath.Check {
	return []readpath.Check{checkCategoryBytes(run), checkSharedLoads(run)}
}

// updateChecks returns the checks of Gets that run beside updates.
func updateChecks(gets engine.Counts) []readpath.Check {
	return []readpath.Check{checkCategoryBytes(gets)}
}

// intervalChecks returns the checks of all reads in an interval that starts and ends idle.
func intervalChecks(w engine.UpdateInterval) []readpath.Check {
	others := w.Total.Reads.Sub(w.Gets)
	return []readpath.Check{
		region.Equal("others_category_bytes", "block bytes of other categories than Gets'", *w.Activity.BackgroundReadBytes,
			"bytes that others than Gets read, without trailers", blockBytes(others)),
		checkSharedLoads(w.Total),
	}
}

func checkSharedLoads(run engine.Counts) readpath.Check {
	return readpath.Check{
		Name:   "shared_loads",
		OK:     *run.SharedLoads >= 0,
		Detail: fmt.Sprintf("%d block cache misses shared the read of another Get", *run.SharedLoads),
	}
}

// checkCategoryBytes compares the bytes that the library attributes to Gets with the bytes
// counted in the file system.
func checkCategoryBytes(run engine.Counts) readpath.Check {
	return region.Equal("category_bytes", "block bytes by category", *run.CategoryBytes,
		"bytes read without trailers", blockBytes(run.Reads))
}

// blockBytes returns the bytes of the blocks read through the cache, without trailers.
func blockBytes(reads readpath.Reads) (n int64) {
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		n += reads.Bytes[c] - blockformat.TrailerLen*reads.Count[c]
	}
	return n
}

// addLibraryActivity adds the metrics that differ between the versions.
func addLibraryActivity(a *engine.Activity, m *pebble.Metrics) {
	a.L0Tables = m.Levels[0].TablesCount
	a.BackgroundReadBytes = categoryBytes(m, func(name string) bool { return !ofGets(name) })
	for _, l := range m.Levels {
		a.LibraryTableBytes += int64(l.TableBytesFlushed + l.TableBytesCompacted)
		a.CompactionInputBytes += int64(l.TableBytesRead)
	}
}
