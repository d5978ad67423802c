// Package record defines the records that getio writes and reads, one JSON object per measurement and
// line (JSON Lines), and the journal: the file of finished runs from which an interrupted experiment is
// resumed. docs/records.md is made of the comments of the fields (TestDocument). Field names are stable; a field that was not measured
// is absent, never zero.
package record

import (
	"runtime"
	"runtime/debug"
	"time"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/published"
	"getio/system/machine"
	"getio/workload/popularity"
)

// ErrChecksFailed is wrapped by errors that say that self-checks failed.
var ErrChecksFailed = readpath.ErrChecksFailed

// Types of other packages that records contain, so that report need not import them.
type (
	Shape      = lsm.Shape
	Level      = lsm.Level
	Check      = readpath.Check
	Checks     = readpath.Checks
	Popularity = popularity.Popularity
)

// Result is one measurement of Gets in one database with one cache.
type Result struct {
	Schema  string    `json:"schema"`
	Time    time.Time `json:"time"` // end of the run, UTC
	Engine  Engine    `json:"engine"`
	Dataset Dataset   `json:"dataset"`
	// Counted is "outside" if the kernel counted the reads of a process that maps the database, as with MDBX. An I/O
	// is then a read of the disk; shape, components, block cache, file, shards and phase are unknown.
	Counted    string               `json:"counted,omitempty"`
	Shape      *lsm.Shape           `json:"shape,omitempty"` // without the list of tables
	Cache      Cache                `json:"cache"`
	Workload   Made                 `json:"workload"`
	Components map[string]Component `json:"components,omitempty"`
	Cached     *BlockCache          `json:"block_cache,omitempty"` // absent with updates
	IOsPerGet  IOsPerGet            `json:"ios_per_get"`
	// Distribution is of single Gets (--distribution); absent from continued runs.
	Distribution *Distribution `json:"ios_per_get_distribution,omitempty"`
	// Latency is of single Gets (--latency or --rate); absent from continued runs.
	Latency     *Latency `json:"latency_us,omitempty"`
	BytesPerGet float64  `json:"bytes_per_get"` // read from table and blob files
	// PageBytesPerGet are bytes of the 4 KiB pages that these reads touch. Without a page cache, devices read these,
	// in as many reads as [Result.IOsPerGet] (method.md).
	PageBytesPerGet *float64 `json:"page_bytes_per_get,omitempty"`
	// BytesWindows are the bytes read in each window, not per Get.
	BytesWindows []int64 `json:"bytes_windows,omitempty"`
	// PerKey is the cost of each key of scans and batches.
	PerKey *PerKey `json:"per_key,omitempty"`
	// Tables are those of an MDBX database whose keys were looked up.
	Tables []TableReads `json:"tables,omitempty"`
	File   File         `json:"file,omitzero"`
	Device Device       `json:"device"`
	// SharedLoads are misses that waited for another Get's read of the block (Pebble v2).
	SharedLoads *int64 `json:"shared_loads,omitempty"`
	// GetsPerSecond is the rate that was reached; absent with a modelled device.
	GetsPerSecond float64 `json:"gets_per_second,omitempty"`
	// CPUusPerGet is processor time of the whole process; absent with --rate, since waiting takes processor time too,
	// and with updates.
	CPUusPerGet float64 `json:"cpu_us_per_get,omitempty"`
	// Updates are by one goroutine during the measured Gets. Reads elsewhere in the record are those of Gets.
	Updates *Updates `json:"updates,omitempty"`
	// Published is the study's figures for the same run (reproduce, demo).
	Published *published.Read `json:"published,omitempty"`
	// ComparisonRun is only in runs of a comparison.
	ComparisonRun *ComparisonRun `json:"comparison_run,omitempty"`
	// Cell is only in runs that "getio run" made.
	Cell *PlannedCell `json:"cell,omitempty"`
	// Continued are further runs of as many Gets with the cache as the run before left it, until one was steady.
	Continued []Continuation `json:"continued,omitempty"`
	// Checks are self-checks; those of the split are named "split_NAME", of continued runs "continued_1_NAME".
	Checks      readpath.Checks `json:"checks"`
	Warnings    []string        `json:"warnings,omitempty"` // what a reader should know
	Environment Environment     `json:"environment"`
}

// Engine is the library that read the database, and its configuration.
type Engine struct {
	Name    string `json:"name"`    // of the engine
	Version string `json:"version"` // of the library, as linked
	Preset  string `json:"preset"`  // "existing" for a database that getio did not write
	// Options are the effective ones, after "written: " those of an existing database's own options file.
	Options map[string]string `json:"options"`
	// ReadAs is as which of several clients of its format an existing database was read, and why.
	ReadAs string `json:"read_as,omitempty"`
}

// Dataset is the database that was read.
type Dataset struct {
	Path string `json:"path"` // directory
	Kind string `json:"kind"` // "natural", "shaped" or "virtual" (made by getio), or "existing"
	// Keys is the number of keys that getio wrote; absent for existing databases.
	Keys     uint64 `json:"keys,omitempty"`
	Records  int64  `json:"records,omitempty"` // in the tables; absent where these do not state it, as in LevelDB
	Keyspace string `json:"keyspace"`          // "keccak", "stratified", "sampled" (drawn from the tables), "keys_file" or "trace"
	Values   string `json:"values,omitempty"`  // kind of values
	Seed     uint64 `json:"seed,omitempty"`    // of keys and values
	Bytes    int64  `json:"bytes"`             // all table files, without blob files; counted outside, all pages in use
	// WALKeys are records that only the write-ahead log holds, several of an overwritten key. They cost no I/O.
	WALKeys int64 `json:"wal_keys,omitempty"`
	// Live means that the files were copied while another process had the database open.
	Live bool `json:"live,omitempty"`
}

// Cache is the block cache that was measured or, counted outside, the page cache that the kernel
// kept of the database.
type Cache struct {
	Bytes int64 `json:"bytes"` // requested block cache; counted outside, page cache of the database
	// ProcessBytes is the memory of the process besides the page cache, with the kernel's tables of mapped pages; only
	// counted outside.
	ProcessBytes int64   `json:"process_bytes,omitempty"`
	Shards       int     `json:"shards,omitempty"` // of the block cache
	FractionOfDB float64 `json:"fraction_of_db"`   // of [Dataset.Bytes]
	// ReservedBytes is the part that is reserved for memtables: by the open, or as the trace of a running program
	// says.
	ReservedBytes int64 `json:"reserved_bytes"`
	Phase         int   `json:"phase,omitempty"` // 1 below IP1, 2 up to IP2, 3 above
	// GethCacheMiB is the --cache that gives geth as many bytes for blocks; only for its databases.
	GethCacheMiB int64 `json:"geth_cache_mib,omitempty"`
}

// TableReads is what lookups in one table of an MDBX database read from the device.
type TableReads struct {
	Name        string  `json:"name"`              // of the table
	DupSort     bool    `json:"dupsort,omitempty"` // a lookup is of a key with one of its values, or with one it lacks
	Entries     int64   `json:"entries"`           // records
	Gets        int64   `json:"gets"`              // measured
	ReadsPerGet float64 `json:"reads_per_get"`     // from the disk
	BytesPerGet float64 `json:"bytes_per_get"`     // from the disk
}

// PerKey is the cost of each key that a scan returned or a batch looked up.
type PerKey struct {
	Keys  int64   `json:"keys"`  // returned by the measured scans, which end with the key space, or looked up by batches
	IOs   float64 `json:"ios"`   // reads per key
	Bytes float64 `json:"bytes"` // read per key
}

// BlockCache is what the block cache itself counts, over all components.
type BlockCache struct {
	// Hits, misses and their rate are of all components.
	Hits    int64    `json:"hits"`
	Misses  int64    `json:"misses"`
	HitRate *float64 `json:"hit_rate,omitempty"`
	// MissesPerGet are per measured Get.
	MissesPerGet *float64 `json:"misses_per_get,omitempty"`
	// BytesPerGet are of the blocks read for these misses, as stored, without blobs and reads that open tables.
	BytesPerGet *float64 `json:"bytes_per_get,omitempty"`
}

// Continuation is a run of Gets that follows a measurement without reopening.
type Continuation struct {
	GetsBefore  int64                `json:"gets_before"` // since the open
	Gets        int64                `json:"gets"`        // of this run
	Components  map[string]Component `json:"components"`
	Cached      *BlockCache          `json:"block_cache"`
	IOsPerGet   IOsPerGet            `json:"ios_per_get"`   // the windows of the drift may begin in the run before
	BytesPerGet float64              `json:"bytes_per_get"` // as above
	// PageBytesPerGet are as above.
	PageBytesPerGet *float64 `json:"page_bytes_per_get,omitempty"`
	// BytesWindows are as above.
	BytesWindows []int64 `json:"bytes_windows,omitempty"`
}

// File is the reads of table files.
type File struct {
	ReadsPerGet float64 `json:"reads_per_get"` // of table and blob files
	BytesPerGet float64 `json:"bytes_per_get"` // of these reads
}

// Device is what is known of the reads below the files.
type Device struct {
	// PageCache is "cached" (reads may have been served from memory), "dropped" (the same, without the tables' pages
	// at the warm-up's start), "bypassed" (O_DIRECT), or "limited" (counted outside: empty of the database at the
	// warm-up's start, then limited to the size of the cache).
	PageCache string `json:"page_cache"`
	// ReadsPerGet are reads that reached the device: all if bypassed; if dropped, those that the page cache did not
	// serve; if cached, known only as 0, if the kernel reports that no byte came from a device.
	ReadsPerGet *float64 `json:"reads_per_get,omitempty"`
	// BytesPerGet are bytes from devices, as the kernel counts them for the process; absent for virtual datasets.
	BytesPerGet *float64 `json:"bytes_per_get,omitempty"`
	Disk        string   `json:"disk,omitempty"` // block device
	// DiskReadsPerGet are the disk's reads meanwhile, for all processes, as a cross-check; absent if cached.
	DiskReadsPerGet *float64        `json:"disk_reads_per_get,omitempty"`
	Modelled        *ModelledDevice `json:"modelled,omitempty"` // slower device that was modelled
}

// ModelledDevice is a slower device than the real one: reads of tables waited as they would
// have for it.
type ModelledDevice struct {
	IOPS          int64   `json:"iops,omitempty"`            // reads per second; absent: unlimited
	ReadLatencyUS float64 `json:"read_latency_us,omitempty"` // added to each read
	GetsPerSecond float64 `json:"gets_per_second"`           // with that device
}

// Environment is the machine and software of the run.
type Environment struct {
	Getio string `json:"getio,omitempty"` // version; absent for a build without version control
	// Versions and machine; CPUs are processors, of which Go uses GOMAXPROCS.
	Go         string `json:"go"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	CPUs       int    `json:"cpus"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Kernel     string `json:"kernel,omitempty"`
	CPU        string `json:"cpu,omitempty"`        // model
	MemoryMiB  int64  `json:"memory_mib,omitempty"` // of the machine
}

// Measured reports whether any Gets were measured.
func (r *Result) Measured() bool { return r.Workload.Gets > 0 }

// TargetRate returns how many Gets per second were due; 0 if each followed the one before.
func (r *Result) TargetRate() int64 {
	if r.Latency == nil {
		return 0
	}
	return r.Latency.Rate
}

// PublishedIOs returns the published I/Os per Get of the same run, if any.
func (r *Result) PublishedIOs() (ios float64, known bool) {
	if r.Published == nil {
		return 0, false
	}
	ios, err := r.Published.IOsPerGet.Float64()
	return ios, err == nil && ios > 0
}

// Parts returns the run and its continuations, each as a result of its own.
func (r *Result) Parts() []*Result {
	parts := []*Result{r}
	for _, c := range r.Continued {
		part := *r
		part.Workload.Gets, part.IOsPerGet = c.Gets, c.IOsPerGet
		part.BytesPerGet, part.PageBytesPerGet = c.BytesPerGet, c.PageBytesPerGet
		part.Components, part.Cached = c.Components, c.Cached
		part.Distribution, part.Latency, part.PerKey, part.BytesWindows = nil, nil, nil, c.BytesWindows
		parts = append(parts, &part)
	}
	return parts
}

// LastPart returns the last continuation, or else the run.
func (r *Result) LastPart() *Result {
	parts := r.Parts()
	return parts[len(parts)-1]
}

// Last returns the figure of the last run, continued or not.
func (r *Result) Last() *IOsPerGet {
	if n := len(r.Continued); n > 0 {
		return &r.Continued[n-1].IOsPerGet
	}
	return &r.IOsPerGet
}

// EndsSteady reports whether the last run is known to be steady.
func (r *Result) EndsSteady() bool { return r.Last().IsSteady() }

// ThisMachine returns the environment of this process.
func ThisMachine() Environment {
	e := Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		CPU: machine.CPU(), Kernel: machine.Kernel(), MemoryMiB: machine.Memory() >> 20,
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		e.Getio = info.Main.Version
	}
	return e
}
