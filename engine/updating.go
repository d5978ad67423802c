package engine

import (
	"context"
	"time"

	"getio/tree/readpath"
)

// Updater is an engine whose databases can be read while they are written to.
type Updater interface {
	Engine
	// OpenUpdating opens a database that getio made for Gets and for writes, with
	// the options that it was written with. Of o it takes CacheBytes, Shards,
	// MaxOpenFiles and Trace. Blocks have as much room in the cache as in that of a
	// read-only open of its size, whatever memtables take. Who else holds the
	// database's lock keeps it from being opened.
	OpenUpdating(dir string, cfg Config, o OpenConfig) (UpdatingDB, error)
}

// UpdatingDB is a database opened for Gets and for writes. What it counts is what
// everybody read: Gets, flushes and compactions. Of Accesses, it knows those of
// filters, which nobody but Gets consults.
//
// Check holds the counts of Gets against each other, others or not: their own reads,
// which the caller knows by Trace, and what the library tells of Gets alone.
type UpdatingDB interface {
	DB
	NewBatch() Batch
	// Settle and Failed are as a Loader's.
	Settle(ctx context.Context, report func(Settling)) error
	Failed() <-chan error
	// Activity is what the library did besides Gets since the open.
	Activity() Activity
	// CheckWork holds all that was done between two moments at rest against each
	// other: the tree had settled, and no Get was under way.
	CheckWork(Work) []readpath.Check
}

// Work is all that was done with a database in some time.
type Work struct {
	All      Counts         // by everybody
	Gets     readpath.Reads // by Gets, of All.Reads; footers and misplaced reads are not told apart
	Activity Activity
}

// Activity is what a library does with a database that is written to.
type Activity struct {
	Written Written
	// Flushes and Compactions are those that are over.
	Flushes, Compactions int64
	// UnderWay are flushes and compactions under way; a library that works on one
	// level at a time and does not say on which has one as long as a level is due.
	UnderWay int64
	// Stalls is how often a write had to wait for flushes and compactions, and
	// Stalled for how long all of them together.
	Stalls  int64
	Stalled time.Duration
	// L0Tables and L0Sublevels are of now.
	L0Tables, L0Sublevels int64

	// Of the library's own account: LibraryTables is the bytes of tables that flushes
	// and compactions wrote, CompactedTables of those that compactions read.
	LibraryTables, CompactedTables int64
	// LibraryWritten are all bytes that the library says it wrote; nil if it does not.
	LibraryWritten *int64
	// OthersBytes are the block bytes that the library says others than Gets read past the
	// cache, block trailers not included; nil if it does not.
	OthersBytes *int64
}

// Written are bytes written to files.
type Written struct {
	Tables, Logs, Other int64
}

// Sum is all that was written.
func (w Written) Sum() int64 { return w.Tables + w.Logs + w.Other }

// Sub returns what was done between b and a; what is of a moment is a's.
func (a Activity) Sub(b Activity) Activity {
	d := a
	d.Written = Written{
		Tables: a.Written.Tables - b.Written.Tables,
		Logs:   a.Written.Logs - b.Written.Logs,
		Other:  a.Written.Other - b.Written.Other,
	}
	d.Flushes -= b.Flushes
	d.Compactions -= b.Compactions
	d.Stalls -= b.Stalls
	d.Stalled -= b.Stalled
	d.LibraryTables -= b.LibraryTables
	d.CompactedTables -= b.CompactedTables
	d.LibraryWritten = subOptional(a.LibraryWritten, b.LibraryWritten)
	d.OthersBytes = subOptional(a.OthersBytes, b.OthersBytes)
	return d
}
