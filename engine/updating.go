package engine

import (
	"context"
	"time"

	"getio/engine/readpath"
)

// Updater is an engine whose databases can be read while they are written.
type Updater interface {
	Engine
	// OpenUpdating opens a database that getio made, with the options that it was written
	// with, for Gets and for writes. It uses CacheBytes, Shards, MaxOpenFiles and Trace of
	// o. Blocks have the same room in the cache as with a read-only open, whatever
	// memtables take. It fails if anyone else holds the database's lock.
	OpenUpdating(dir string, cfg Config, o OpenConfig) (UpdatingDB, error)
}

// UpdatingDB is a database opened for Gets and for writes. Counts covers the reads of Gets, flushes
// and compactions together. Of Accesses it only has those of filters, which only Gets consult.
//
// Check takes the counts of Gets alone: their own reads, which the caller knows from Trace,
// and what the library reports of Gets alone.
type UpdatingDB interface {
	DB
	NewBatch() Batch
	// Settle and Failed are those of a Loader.
	Settle(ctx context.Context, report func(SettleProgress)) error
	Failed() <-chan error
	// Activity returns what the library did besides Gets since the open.
	Activity() Activity
	// CheckInterval checks an interval. At both ends the tree must have settled and no Get
	// may have been running.
	CheckInterval(UpdateInterval) []readpath.Check
}

// UpdateInterval is everything that was done with a database in an interval.
type UpdateInterval struct {
	Total    Counts         // by Gets, flushes and compactions
	Gets     readpath.Reads // the part of Total.Reads by Gets; footers and misplaced reads are not split
	Activity Activity
}

// Activity is what a library does with a database besides Gets. All but InProgress,
// L0Tables and L0Sublevels, which are current, add up.
type Activity struct {
	Written              BytesWritten
	Flushes, Compactions int64 // completed
	// InProgress counts flushes and compactions. A library that compacts one level at a
	// time without saying which has one as long as any level is due.
	InProgress            int64
	Stalls                int64         // writes that had to wait for flushes or compactions
	StallTime             time.Duration // how long they waited together
	L0Tables, L0Sublevels int64

	// What the library itself reports. Pointers are nil if it does not.
	LibraryTableBytes    int64  // of tables that flushes and compactions wrote
	CompactionInputBytes int64  // of tables that compactions read
	LibraryBytesWritten  *int64 // to all files
	BackgroundReadBytes  *int64 // block bytes, without trailers, read past the cache by others than Gets
}

// BytesWritten are bytes written to files.
type BytesWritten struct {
	Tables, Logs, Other int64
}

// Total returns all bytes written.
func (w BytesWritten) Total() int64 { return w.Tables + w.Logs + w.Other }

// Sub returns what was done from b to a.
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
