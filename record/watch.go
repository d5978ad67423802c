package record

import (
	"time"

	"getio/engine/readpath"
)

// Watch is what a running process has read from its databases while it was watched.
type Watch struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"` // end of the watching, UTC
	// Seconds is how long Gets and reads were counted.
	Seconds float64 `json:"seconds"`
	// Duty is the share of the time in which they were counted, in windows; absent if all of it.
	Duty      float64            `json:"duty,omitempty"`
	Process   WatchedProcess     `json:"process"`
	Databases []*WatchedDatabase `json:"databases"`
	// Files are the reads of other files than tables, by kind.
	Files []*WatchedFiles `json:"files,omitempty"`
	// Device is absent if the process's own count could not be read, or it ran another program.
	Device *WatchedDevice `json:"device,omitempty"`
	// Trace is what was recorded.
	Trace  *WatchedTrace `json:"trace,omitempty"`
	Losses WatchLosses   `json:"losses"`
	// Checks of the process: all reads are the counts and prefetches of all causes and files, and the losses.
	Checks readpath.Checks `json:"checks,omitempty"`
	// Complete means that at most 0.1% of the Gets and reads were lost, and the checks hold. Otherwise, figures are
	// not exact.
	Complete    bool        `json:"complete"`
	Environment Environment `json:"environment"`
}

// WatchedProcess is a process that was watched.
type WatchedProcess struct {
	PID  int    `json:"pid"`  // its number
	Name string `json:"name"` // of the program
	// Module is the main module, as the build says.
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"` // of the module
	Go      string `json:"go,omitempty"`      // version
	// Ended means that the process ended while it was watched.
	Ended bool `json:"ended,omitempty"`
	// Replaced means that the process ran another program (exec), which ended the watching.
	Replaced bool `json:"replaced,omitempty"`
}

// WatchedDatabase is one database of a process.
type WatchedDatabase struct {
	Path    string `json:"path"`              // directory, as the process names it
	Library string `json:"library"`           // that has it open; "Pebble" for development versions, and until a Get reads if the program holds both versions
	Version string `json:"version,omitempty"` // as the build says
	// IOsPerGet is absent without Gets.
	IOsPerGet *WatchedIOs `json:"ios_per_get,omitempty"`
	WatchedGets
	Categories []*WatchedCategory `json:"categories,omitempty"` // only for Ethereum clients
	Causes     []*WatchedCause    `json:"causes"`
	// Callers are those on whose behalf Gets read (--by-caller).
	Callers []*WatchedCaller `json:"callers,omitempty"`
	// Iterators is absent if the program has several databases of the library.
	Iterators *WatchedIterators `json:"iterators,omitempty"`
	Checks    readpath.Checks   `json:"checks"` // reads fit the blocks of their tables, components add up, and tables agree with what they say of themselves
}

// WatchedIterators are the iterators that a program has used.
type WatchedIterators struct {
	Opened int64 `json:"opened"` // by the program
	// Seeks are calls of SeekGE, SeekLT, SeekPrefixGE and Last (Pebble; Gets call First, too), or of Seek, First and
	// Last (goleveldb).
	Seeks int64 `json:"seeks"`
}

// FileKind says what a file is for that is no table.
type FileKind string

// The kinds of files.
const (
	FileFreezer FileKind = "freezer" // geth's
	FileLog     FileKind = "log"     // a database's write-ahead log
	FileOther   FileKind = "other"
)

// FileKinds returns all kinds in the order of tables.
func FileKinds() []FileKind { return []FileKind{FileFreezer, FileLog, FileOther} }

// WatchedFiles is the reads of files of one kind.
type WatchedFiles struct {
	Kind FileKind `json:"kind"` // "freezer" (geth's), "log" (write-ahead logs) or "other"
	WatchedReads
}

// WatchedDevice is what the process has read from devices while reads were counted.
type WatchedDevice struct {
	// ProcessBytes is what the process has read from devices in any way (read_bytes of /proc/PID/io): also through
	// mapped files and for directories.
	ProcessBytes int64 `json:"process_bytes"`
	TableBytes   int64 `json:"table_bytes"` // of these, of the databases
	FileBytes    int64 `json:"file_bytes"`  // of these, of other files
}

// CountedBytes returns the bytes that reads and prefetches are known to have read.
func (d *WatchedDevice) CountedBytes() int64 { return d.TableBytes + d.FileBytes }

// WatchedTrace is a trace of the Gets of one database.
type WatchedTrace struct {
	Path     string `json:"path"`     // of the file
	Database string `json:"database"` // directory
	Keys     string `json:"keys"`     // "whole" or "hash"
	// Sample is N: one of N neighbourhoods of keys is in the trace.
	Sample int64 `json:"sample"`
	// Gets are all that were made.
	Gets int64 `json:"gets"`
	// LostGets are those whose keys could not be taken, or whose database is unknown.
	LostGets         int64 `json:"lost_gets"`
	Operations       int64 `json:"operations"`        // Gets in the trace
	WarmupOperations int64 `json:"warmup_operations"` // of these, its warm-up
	Goroutines       int64 `json:"goroutines"`        // that made Gets
	// MemtableShare is about the share of the block cache that memtables took at last, from the options file and the
	// newest log; absent for goleveldb, whose memtables are not part of its cache.
	MemtableShare float64 `json:"memtable_share,omitempty"`
	// Measured is what the Gets after the warm-up have read.
	Measured *WatchedMeasured `json:"measured,omitempty"`
}

// Complete reports whether the keys that are missing are too few to change a figure.
func (t *WatchedTrace) Complete() bool { return float64(t.LostGets) <= mostLost*float64(t.Gets) }

// WatchedMeasured is the reads per Get of a part of the time.
type WatchedMeasured struct {
	Gets int64       `json:"gets"`           // after the warm-up
	Mean float64     `json:"ios_per_get"`    // reads of tables per Get
	CI95 *[2]float64 `json:"ci95,omitempty"` // absent with fewer than two windows
}

// WatchedIOs is the reads of table files per Get.
type WatchedIOs struct {
	Mean float64     `json:"mean"`           // reads of tables per Get
	CI95 *[2]float64 `json:"ci95,omitempty"` // from the windows; absent with fewer than two
	// WindowSeconds is the length of a window; the last one is shorter where the watching ended in it.
	WindowSeconds float64         `json:"window_seconds"`
	Windows       []WatchedWindow `json:"windows"` // those with Gets
}

// WatchedWindow is what was counted in a window of time.
type WatchedWindow struct {
	Gets  int64 `json:"gets"`  // in it
	Reads int64 `json:"reads"` // by these Gets
}

// WatchedGets are Gets and what they have read.
type WatchedGets struct {
	Gets          int64                     `json:"gets"`            // that were made
	GetsPerSecond float64                   `json:"gets_per_second"` // while they were counted
	Reads         WatchedReads              `json:"reads"`           // by Gets
	Components    map[string]ComponentReads `json:"components"`      // without "blob": watched libraries keep values in tables
	Distribution  *Distribution             `json:"ios_per_get_distribution,omitempty"`
	// UnmappedReads are of tables that were gone before their blocks were known. They are in no component.
	UnmappedReads int64 `json:"unmapped_reads"`
	// BlockCache is what Gets looked up in it (--accesses).
	BlockCache *WatchedCache `json:"block_cache,omitempty"`
}

// WatchedCache is the use of the block cache by Gets.
type WatchedCache struct {
	CacheAccesses
	Components map[string]CacheAccesses `json:"components"`
	// Unmapped are accesses of blocks of unknown tables. They are in no sum.
	Unmapped int64 `json:"unmapped_accesses"`
}

// CacheAccesses are accesses of blocks in a cache. A block that another Get was just reading counts
// as found.
type CacheAccesses struct {
	Accesses int64    `json:"accesses"`           // of blocks
	Misses   int64    `json:"misses"`             // those that read the table; not those that waited for another Get's read
	HitRate  *float64 `json:"hit_rate,omitempty"` // share of the others
}

// NewCacheAccesses returns accesses with their hit rate.
func NewCacheAccesses(accesses, misses int64) CacheAccesses {
	return CacheAccesses{Accesses: accesses, Misses: misses, HitRate: HitRate(accesses-misses, accesses)}
}

// WatchedReads are reads of files.
type WatchedReads struct {
	Count int64 `json:"count"` // system calls pread64 and read
	Bytes int64 `json:"bytes"` // of these calls
	// PageBytes are of the 4 KiB pages that these calls touch: what devices read without a page cache. Calls of read
	// do not say where, and are left out.
	PageBytes int64 `json:"page_bytes,omitempty"`
	// DeviceBytes are bytes from devices, readahead and prefetches included.
	DeviceBytes int64 `json:"device_bytes"`
	// FromPageCache are reads for which nothing came from a device.
	FromPageCache int64 `json:"from_page_cache"`
	// FetchedAhead are those of them whose bytes readahead or a prefetch had brought from a device meanwhile, unread
	// since.
	FetchedAhead int64 `json:"fetched_ahead,omitempty"`
	// Prefetches are calls of readahead, and of posix_fadvise with POSIX_FADV_WILLNEED, which are not reads.
	Prefetches int64 `json:"prefetches,omitempty"`
	// Latency is of single reads.
	Latency *Times `json:"latency_us,omitempty"`
}

// WatchedCategory is the Gets of one category of keys.
type WatchedCategory struct {
	Category string `json:"category"` // of geth's schema
	WatchedGets
}

// ReadCause is why a process read a table.
type ReadCause string

// The causes of reads. Opening is that of a database.
const (
	CauseGet        ReadCause = "get"
	CauseIterator   ReadCause = "iterator"
	CauseCompaction ReadCause = "compaction"
	CauseFlush      ReadCause = "flush"
	CauseStatistics ReadCause = "table_statistics"
	CauseIngestion  ReadCause = "ingestion"
	CauseOpen       ReadCause = "open"
	CauseOther      ReadCause = "other"
)

// ReadCauses returns all causes in the order of tables.
func ReadCauses() []ReadCause {
	return []ReadCause{CauseGet, CauseIterator, CauseCompaction, CauseFlush, CauseStatistics, CauseIngestion, CauseOpen, CauseOther}
}

// WatchedCause is the reads of one cause.
type WatchedCause struct {
	Cause ReadCause `json:"cause"` // "get", "iterator", "compaction", "flush", "table_statistics", "ingestion", "open" or "other"
	WatchedReads
	// Components are absent of Gets, whose own are the database's, like the next two fields. "other" includes reads
	// that fit no block.
	Components    map[string]ComponentReads `json:"components,omitempty"`
	UnmappedReads int64                     `json:"unmapped_reads,omitempty"` // as of Gets
	Callers       []*WatchedCaller          `json:"callers,omitempty"`        // only with --by-caller
}

// WatchedCaller is the reads that were made on behalf of a caller.
type WatchedCaller struct {
	// Method is an RPC method, or else the function with which the goroutine began, for a closure followed by the
	// first function that it calls, or "unknown" below more than 1,024 calls.
	Method string `json:"method"`
	// Accessor is the function of geth's schema that read.
	Accessor string `json:"accessor,omitempty"`
	WatchedReads
}

// WatchLosses are what could not be counted or attributed.
type WatchLosses struct {
	// LostReads are reads and prefetches that the kernel had no room to report.
	LostReads int64 `json:"lost_reads"`
	AllReads  int64 `json:"all_reads"` // all reads and prefetches by the process, of any file
	// UncountedReads are reads that began outside the counting, or whose Get did. They are not lost.
	UncountedReads int64 `json:"uncounted_reads"`
	// UnbegunReads are by Gets that were not seen to begin, although counting was on.
	UnbegunReads int64 `json:"unbegun_reads,omitempty"`
	// UntrackedGets are Gets that the kernel had no room to note.
	UntrackedGets int64 `json:"untracked_gets"`
	// UnownedReads are reads of tables by Gets whose database is unknown.
	UnownedReads int64 `json:"unowned_reads"`
	// UnownedOther are such reads by others. They are in no cause.
	UnownedOther int64 `json:"unowned_other_reads,omitempty"`
	// UnplacedGets are Gets in databases of which no table was read, so that their directories are unknown.
	// They are in no figure.
	UnplacedGets int64 `json:"unplaced_gets"`
	// UnmappedReads are the sum over all databases.
	UnmappedReads int64 `json:"unmapped_reads"`
	// MisplacedReads are reads of Gets that fit no block of their table.
	MisplacedReads int64 `json:"misplaced_reads"`
	// LostAccesses are accesses of the block cache that the kernel had no room to count, or of unknown blocks
	// (--accesses).
	LostAccesses int64 `json:"lost_accesses,omitempty"`
}

// mostLost is the share of the Gets or reads that may be lost before the figures are incomplete.
const mostLost = 0.001

// FewLosses reports whether what was lost is too little to change a figure.
func (w *Watch) FewLosses() bool {
	var gets, reads, accesses int64
	for _, d := range w.Databases {
		gets += d.Gets
		reads += d.Reads.Count
		if d.BlockCache != nil {
			accesses += d.BlockCache.Accesses
		}
	}
	l := &w.Losses
	within := func(lost, of int64) bool { return float64(lost) <= mostLost*float64(of) }
	return within(l.LostReads, l.AllReads) && within(l.UntrackedGets, gets) &&
		within(l.UnownedReads+l.UnbegunReads+l.UnmappedReads+l.MisplacedReads, reads) && within(l.LostAccesses, accesses)
}

// Accounted returns the sum of all reads and prefetches that are in the record, or lost: AllReads, if each is in it once.
func (w *Watch) Accounted() int64 {
	l := &w.Losses
	sum := l.LostReads + l.UncountedReads + l.UnbegunReads + l.UnownedReads + l.UnownedOther
	for _, d := range w.Databases {
		for _, c := range d.Causes {
			sum += c.Count + c.Prefetches
		}
	}
	for _, f := range w.Files {
		sum += f.Count + f.Prefetches
	}
	return sum
}

// AllChecks returns the self-checks of the process and of its databases.
func (w *Watch) AllChecks() (all readpath.Checks) {
	all = append(all, w.Checks...)
	for _, d := range w.Databases {
		all = append(all, d.Checks...)
	}
	return all
}
