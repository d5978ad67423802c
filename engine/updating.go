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
	Settle(ctx context.Context, report func(SettleProgress)) error
	Failed() <-chan error
	// Activity is what the library did besides Gets since the open.
	Activity() Activity
	// CheckInterval holds all that was done between two moments at rest against each
	// other: the tree had settled, and no Get was under way.
	CheckInterval(UpdateInterval) []readpath.Check
}

// UpdateInterval is all that was done with a database in some time.
type UpdateInterval struct {
	Total    Counts         // by everybody
	Gets     readpath.Reads // by Gets, of All.Reads; footers and misplaced reads are not told apart
	Activity Activity
}

// Activity is what a library does with a database that is written to.
type Activity struct {
	Written BytesWritten
	// Flushes and Compactions are those that are over.
	Flushes, Compactions int64
	// InProgress are flushes and compactions under way; a library that works on one
	// level at a time and does not say on which has one as long as a level is due.
	InProgress int64
	// Stalls is how often a write had to wait for flushes and compactions, and
	// Stalled for how long all of them together.
	Stalls    int64
	StallTime time.Duration
	// L0Tables and L0Sublevels are of now.
	L0Tables, L0Sublevels int64

	// Of the library's own account: LibraryTableBytes is the bytes of tables that flushes
	// and compactions wrote, CompactionInputBytes of those that compactions read.
	LibraryTableBytes, CompactionInputBytes int64
	// LibraryBytesWritten are all bytes that the library says it wrote; nil if it does not.
	LibraryBytesWritten *int64
	// BackgroundReadBytes are the block bytes that the library says others than Gets read past the
	// cache, block trailers not included; nil if it does not.
	BackgroundReadBytes *int64
}

// BytesWritten are bytes written to files.
type BytesWritten struct {
	Tables, Logs, Other int64
}

// Total is all that was written.
func (w BytesWritten) Total() int64 { return w.Tables + w.Logs + w.Other }

// Sub returns what was done between b and a; what is of a moment is a's.
func (a Activity) Sub(b Activity) Activity {
	d := a
	d.Written = BytesWritten{
		Tables: a.Written.Tables - b.Written.Tables,
		Logs:   a.Written.Logs - b.Written.Logs,
		Other:  a.Written.Other - b.Written.Other,
	}
	d.Flushes -= b.Flushes
	d.Compactions -= b.Compactions
	d.Stalls -= b.Stalls
	d.StallTime -= b.StallTime
	d.LibraryTableBytes -= b.LibraryTableBytes
	d.CompactionInputBytes -= b.CompactionInputBytes
	d.LibraryBytesWritten = subOptional(a.LibraryBytesWritten, b.LibraryBytesWritten)
	d.BackgroundReadBytes = subOptional(a.BackgroundReadBytes, b.BackgroundReadBytes)
	return d
}
