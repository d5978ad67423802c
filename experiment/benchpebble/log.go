package benchpebble

import (
	"fmt"
	"io"
	"strings"
	"time"

	"getio/engine"
	"getio/engine/readpath"
)

// Log writes the log of the published study's tool, line for line, so that scripts
// which read those logs can read these. The published tool counted inside a patched
// library; these counts are engine.Counts.
//
// Its methods are called in the order of the log. Counts are cumulative since the database was
// opened, as in the tables of the log; the lines about a phase are differences of two counts.
type Log struct {
	w    io.Writer
	warm engine.Counts // at the end of the warm-up
	err  error
}

// NewLog writes each line to w as soon as it is known.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Err returns the first error of writing.
func (l *Log) Err() error { return l.err }

func (l *Log) printf(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format, args...)
	}
}

// Start writes what will be done. init: the database is loaded first.
func (l *Log) Start(threads int, keys uint64, init bool, writes, reads int64) {
	l.printf("Threads: %d\n", threads)
	l.printf("Total data: %d while needInit=%v\n", keys, init)
	l.printf("Ops: %d write ops and %d read ops\n", writes, reads)
}

// InitWrite reports the load.
func (l *Log) InitWrite(ops int64, took time.Duration) { l.phase("Init write", ops, took) }

// RandomUpdate reports overwriting keys.
func (l *Log) RandomUpdate(ops int64, took time.Duration) { l.phase("Random update", ops, took) }

func (l *Log) phase(name string, ops int64, took time.Duration) {
	took = max(took, time.Nanosecond)
	l.printf("%s: %d ops in %.2f ms (%.2f ops/s)\n", name, ops, took.Seconds()*1e3, float64(ops)/took.Seconds())
}

// WarmedUp ends the warm-up: it writes the table of the counts so far, which the counts
// of the reads that follow leave out.
func (l *Log) WarmedUp(c engine.Counts) {
	l.CacheStatistics(c)
	l.printf("========= Warn up done ===============\n") // the published tool's spelling
	l.warm = c
}

// RandomRead reports the reads after the warm-up. A hit of a filter is a table that it ruled out.
func (l *Log) RandomRead(c engine.Counts, gets int64, took time.Duration) {
	run := c.Sub(l.warm)
	l.phase("Random read", gets, took)
	l.printf("Filter: Hit Count %d; Miss Count: %d\n", run.FilterNegatives, run.FilterPositives)
	l.printf("BlockCache: Hit Count %d; Miss Count: %d\n", run.BlockCacheHits, run.BlockCacheMisses)
	l.printf("TableCache: Hit Count %d; Miss Count: %d\n", run.TableCacheHits, run.TableCacheMisses)
	l.printf("Avg I/O per Get ≈ %.4f\n", float64(run.BlockCacheMisses+run.TableCacheMisses)/float64(max(gets, 1)))
}

// State writes the library's own description of the tree.
func (l *Log) State(text string) {
	l.printf("DB State \n%s\n", strings.TrimRight(text, "\n"))
}

// CacheStatistics writes the block cache's accesses by the function of the library that makes them.
func (l *Log) CacheStatistics(c engine.Counts) {
	l.printf("\nCache Statistics:\n")
	l.printf("%s\n", strings.Repeat("-", 56))
	l.printf("Caller\t\tHits\tMisses\tCalls\tHitRate\n")
	for _, caller := range callers(c) {
		hits := caller.calls - caller.misses
		l.printf("%s%s\t%d\t%d\t%d\t%.2f\n", callerPackage, caller.name, hits, caller.misses, caller.calls,
			float64(hits)/float64(max(caller.calls, 1)))
	}
}

const callerPackage = "github.com/cockroachdb/pebble/sstable."

// caller is a function that reads blocks through the block cache.
type caller struct {
	name          string
	calls, misses int64
}

// callers distributes the counts over the library's functions.
//
// Invariant: their calls add up to the hits and misses of the block cache. Opening a table takes
// two blocks from it; the footer is read past the cache. Blocks of no component are part of the sum
// of index and data accesses, so their misses are counted as data.
func callers(c engine.Counts) []caller {
	a, m := c.Accesses.Count, c.Reads.Count
	return []caller{
		{"(*Reader).readFilter", a[readpath.Filter], m[readpath.Filter]},
		{"(*Reader).readIndex", a[readpath.TopIndex], m[readpath.TopIndex]},
		{"(*Reader).readMetaindex", 2 * c.TableCacheMisses, m[readpath.TableOpen] - c.Reads.Footers},
		{"(*singleLevelIterator).loadBlock", a[readpath.Data] + a[readpath.Other], m[readpath.Data] + m[readpath.Other]},
		{"(*twoLevelIterator).loadIndex", a[readpath.Index], m[readpath.Index]},
	}
}
