package pebblev1

import (
	"github.com/cockroachdb/pebble"

	"getio/engine"
	"getio/engine/readpath"
	"getio/engine/region"
)

// cachesProperties: opening a table puts its properties into the block cache.
const cachesProperties = true

// addLibraryCounts adds the metrics that differ between the versions.
func addLibraryCounts(c *engine.Counts, m *pebble.Metrics) {
	c.TableCacheHits, c.TableCacheMisses = m.TableCache.Hits, m.TableCache.Misses
}

// libraryChecks returns the checks of a run against the library's own counts.
func libraryChecks(run engine.Counts) []readpath.Check {
	return []readpath.Check{region.Equal("block_cache_misses", "block cache misses", run.BlockCacheMisses,
		"reads but for footers", run.Reads.Count.Sum()-run.Reads.Footers)}
}

// updateChecks returns no checks: the library does not count Gets separately from
// compactions.
func updateChecks(engine.Counts) []readpath.Check { return nil }

// intervalChecks returns the checks of all reads in an interval that starts and ends idle.
func intervalChecks(w engine.UpdateInterval) []readpath.Check { return libraryChecks(w.Total) }

// addLibraryActivity adds the metrics that differ between the versions.
func addLibraryActivity(a *engine.Activity, m *pebble.Metrics) {
	a.L0Tables = m.Levels[0].NumFiles
	for _, l := range m.Levels {
		a.LibraryTableBytes += int64(l.BytesFlushed + l.BytesCompacted)
		a.CompactionInputBytes += int64(l.BytesRead)
	}
}
