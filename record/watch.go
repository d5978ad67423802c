package record

import (
	"time"

	"getio/engine/readpath"
)

// Watch is what a running process has read from its databases while it was watched.
type Watch struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"` // of the end
	// Seconds is how long Gets and reads were counted.
	Seconds float64 `json:"seconds"`
	// Duty is the share of the time in which they were counted; absent if all of it.
	Duty      float64            `json:"duty,omitempty"`
	Process   WatchedProcess     `json:"process"`
	Databases []*WatchedDatabase `json:"databases"`
	// Files are the reads of other files than tables, by kind.
	Files []*WatchedFiles `json:"files,omitempty"`
	// Device is absent if the process's own count could not be read.
	Device *WatchedDevice `json:"device,omitempty"`
	// Trace says what was recorded; absent if nothing was.
	Trace  *WatchedTrace `json:"trace,omitempty"`
	Losses WatchLosses   `json:"losses"`
	// Checks are those of the process, and Complete means that they hold and losses are too few to change a figure.
	Checks      readpath.Checks `json:"checks,omitempty"`
	Complete    bool            `json:"complete"`
	Environment Environment     `json:"environment"`
}

// WatchedProcess is a process that was watched.
type WatchedProcess struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
	// Of the program, as its build says; absent if it does not.
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	Go      string `json:"go,omitempty"`
	// Ended: the process ended while it was watched.
	Ended bool `json:"ended,omitempty"`
	// Replaced: the process ran another program (exec), and the watching ended with that.
	Replaced bool `json:"replaced,omitempty"`
}

// WatchedDatabase is one database of a process.
type WatchedDatabase struct {
	Path    string `json:"path"`
	Library string `json:"library"`
	Version string `json:"version,omitempty"`
	// IOsPerGet is absent without Gets.
	IOsPerGet *WatchedIOs `json:"ios_per_get,omitempty"`
	WatchedGets
	Categories []*WatchedCategory `json:"categories,omitempty"`
	Causes     []*WatchedCause    `json:"causes"`
	// Callers are those of Gets; only with --by-caller.
	Callers []*WatchedCaller `json:"callers,omitempty"`
	// Iterators is absent if it is not known which iterators are of this database.
	Iterators *WatchedIterators `json:"iterators,omitempty"`
	Checks    readpath.Checks   `json:"checks"`
}

// WatchedIterators are the iterators that a program has used.
type WatchedIterators struct {
	Opened int64 `json:"opened"`
	// Seeks are calls of SeekGE, SeekLT, SeekPrefixGE and Last of Pebble, and of Seek, First and Last of
	// goleveldb. First of Pebble is not among them: Gets call it, too.
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
	Kind FileKind `json:"kind"`
	WatchedReads
}

// WatchedDevice is what the process has read from devices while reads were counted.
type WatchedDevice struct {
	// ProcessBytes is the kernel's account of the process (read_bytes of /proc/PID/io), which also
	// holds what is read through mapped files and for directories.
	ProcessBytes int64 `json:"process_bytes"`
	// TableBytes and FileBytes are of the reads and prefetches in Databases and in Files.
	TableBytes int64 `json:"table_bytes"`
	FileBytes  int64 `json:"file_bytes"`
}

// CountedBytes returns the bytes that reads and prefetches are known to have read.
func (d *WatchedDevice) CountedBytes() int64 { return d.TableBytes + d.FileBytes }

// WatchedTrace is a trace of the Gets of one database.
type WatchedTrace struct {
	Path     string `json:"path"`
	Database string `json:"database"`
	Keys     string `json:"keys"` // whole or hash
	// Sample is of how many neighbourhoods of keys one is in the trace.
	Sample int64 `json:"sample"`
	// Gets are all that were made. LostGets are those whose keys could not be taken, or whose
	// database is not known.
	Gets     int64 `json:"gets"`
	LostGets int64 `json:"lost_gets"`
	// Operations are those in the trace. The first WarmupOperations are its warm-up.
	Operations       int64 `json:"operations"`
	WarmupOperations int64 `json:"warmup_operations"`
	Goroutines       int64 `json:"goroutines"`
	// MemtableShare is the share of the block cache that memtables took when the program was last looked at, estimated
	// from the options file and the newest log; absent if it is not known, and for goleveldb, whose memtables are not
	// part of its cache.
	MemtableShare float64 `json:"memtable_share,omitempty"`
	// Measured is what the Gets after the warm-up have read; absent if there were none.
	Measured *WatchedMeasured `json:"measured,omitempty"`
}

// Complete reports whether the keys that are missing are too few to change a figure.
func (t *WatchedTrace) Complete() bool { return float64(t.LostGets) <= mostLost*float64(t.Gets) }

// WatchedMeasured is the reads per Get of a part of the time.
type WatchedMeasured struct {
	Gets int64       `json:"gets"`
	Mean float64     `json:"ios_per_get"`
	CI95 *[2]float64 `json:"ci95,omitempty"` // absent with fewer than two windows
}

// WatchedIOs is the reads of table files per Get.
type WatchedIOs struct {
	Mean float64     `json:"mean"`
	CI95 *[2]float64 `json:"ci95,omitempty"` // absent with fewer than two windows
	// Windows are those with Gets, of WindowSeconds each; the last one is shorter where the watching ended in it.
	WindowSeconds float64         `json:"window_seconds"`
	Windows       []WatchedWindow `json:"windows"`
}

// WatchedWindow is what was counted in a window of time.
type WatchedWindow struct {
	Gets  int64 `json:"gets"`
	Reads int64 `json:"reads"`
}

// WatchedGets are Gets and what they have read.
type WatchedGets struct {
	Gets          int64                     `json:"gets"`
	GetsPerSecond float64                   `json:"gets_per_second"`
	Reads         WatchedReads              `json:"reads"`
	Components    map[string]ComponentReads `json:"components"`
	Distribution  *Distribution             `json:"ios_per_get_distribution,omitempty"`
	// UnmappedReads are of tables that were gone before their regions could be read; they are in
	// no component.
	UnmappedReads int64 `json:"unmapped_reads"`
	// BlockCache is present only with --accesses.
	BlockCache *WatchedCache `json:"block_cache,omitempty"`
}

// WatchedCache is the use of the block cache by Gets.
type WatchedCache struct {
	CacheAccesses
	Components map[string]CacheAccesses `json:"components"`
	// Unmapped are accesses of blocks of unknown tables; they are in no sum.
	Unmapped int64 `json:"unmapped_accesses"`
}

// CacheAccesses are accesses of blocks in a cache. A block that another Get was just reading counts
// as found.
type CacheAccesses struct {
	Accesses int64    `json:"accesses"`
	Misses   int64    `json:"misses"`             // accesses that read the table
	HitRate  *float64 `json:"hit_rate,omitempty"` // absent without accesses
}

// NewCacheAccesses returns accesses with their hit rate.
func NewCacheAccesses(accesses, misses int64) CacheAccesses {
	return CacheAccesses{Accesses: accesses, Misses: misses, HitRate: HitRate(accesses-misses, accesses)}
}

// WatchedReads are reads of files.
type WatchedReads struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
	// DeviceBytes is what came from devices, readahead and prefetches included.
	DeviceBytes int64 `json:"device_bytes"`
	// FromPageCache are reads for which nothing came from a device.
	FromPageCache int64 `json:"from_page_cache"`
	// FetchedAhead are those of them whose bytes readahead or a prefetch had brought from a device.
	FetchedAhead int64 `json:"fetched_ahead,omitempty"`
	// Prefetches are calls of readahead, and of posix_fadvise with POSIX_FADV_WILLNEED.
	Prefetches int64 `json:"prefetches,omitempty"`
	// Latency is of single reads, in microseconds; absent without reads.
	Latency *Times `json:"latency_us,omitempty"`
}

// WatchedCategory is the Gets of one category of keys.
type WatchedCategory struct {
	Category string `json:"category"`
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
	Cause ReadCause `json:"cause"`
	WatchedReads
	// The following are absent of Gets, whose own are the database's. Reads that fit no block are of the component
	// other.
	Components    map[string]ComponentReads `json:"components,omitempty"`
	UnmappedReads int64                     `json:"unmapped_reads,omitempty"`
	Callers       []*WatchedCaller          `json:"callers,omitempty"` // only with --by-caller
}

// WatchedCaller is the reads that were made on behalf of a caller.
type WatchedCaller struct {
	// Method is an RPC method, such as BlockChainAPI.GetBalance, or else the function with which
	// the goroutine began, or "unknown" if the stack was too deep to be walked to its end.
	Method string `json:"method"`
	// Accessor is the function of geth's schema that read; absent if none did.
	Accessor string `json:"accessor,omitempty"`
	WatchedReads
}

// WatchLosses are what could not be counted or attributed.
type WatchLosses struct {
	// LostReads are reads and prefetches that the kernel had no room to report, of AllReads that the
	// process has made, of any file.
	LostReads int64 `json:"lost_reads"`
	AllReads  int64 `json:"all_reads"`
	// UncountedReads are those of them that began before the counting or after it, or whose Get did.
	UncountedReads int64 `json:"uncounted_reads"`
	// UnbegunReads are by Gets that were not seen to begin, while the counting went on.
	UnbegunReads int64 `json:"unbegun_reads,omitempty"`
	// UntrackedGets are Gets that the kernel had no room to note.
	UntrackedGets int64 `json:"untracked_gets"`
	// UnownedReads are reads of tables by Gets whose database is not known.
	UnownedReads int64 `json:"unowned_reads"`
	// UnownedOther are such reads by compactions, iterators and others; they are in no cause.
	UnownedOther int64 `json:"unowned_other_reads,omitempty"`
	// UnplacedGets are Gets in databases of which no table was read, so that their directory is not
	// known.
	UnplacedGets int64 `json:"unplaced_gets"`
	// UnmappedReads and MisplacedReads are of all databases: reads of Gets in tables whose regions
	// are not known, and reads that fit no block of their table.
	UnmappedReads  int64 `json:"unmapped_reads"`
	MisplacedReads int64 `json:"misplaced_reads"`
	// LostAccesses are accesses of the block cache by Gets that the kernel had no room to count, or
	// whose block is unknown; only with --accesses.
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
