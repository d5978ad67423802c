// Package record defines the records that getio writes and reads, one JSON object per measurement and
// line (JSON Lines), and the journal: the file of finished runs from which an interrupted experiment is
// resumed. docs/records.md documents every field. Field names are stable; a field that was not measured
// is absent, never zero.
package record

import (
	"time"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/published"
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
	Time    time.Time `json:"time"`
	Engine  Engine    `json:"engine"`
	Dataset Dataset   `json:"dataset"`
	// Counted is CountedOutside where the database's client maps its files, as MDBX's do, so that
	// only the kernel can count: Shape, Components and File are unknown then. Otherwise absent.
	Counted    string               `json:"counted,omitempty"`
	Shape      *lsm.Shape           `json:"shape,omitempty"`
	Cache      Cache                `json:"cache"`
	Workload   Made                 `json:"workload"`
	Components map[string]Component `json:"components,omitempty"`
	Cached     *BlockCache          `json:"block_cache,omitempty"`
	IOsPerGet  IOsPerGet            `json:"ios_per_get"`
	// Distribution and Latency are of single Gets; absent unless asked for.
	Distribution *Distribution `json:"ios_per_get_distribution,omitempty"`
	Latency      *Latency      `json:"latency_us,omitempty"`
	BytesPerGet  float64       `json:"bytes_per_get"`
	// BytesWindows are the bytes read in each window; absent in older records.
	BytesWindows []int64 `json:"bytes_windows,omitempty"`
	// PerKey is of operations that ask for several keys; absent for Gets.
	PerKey *PerKey `json:"per_key,omitempty"`
	// Tables are those of an MDBX database whose keys were looked up.
	Tables []TableReads `json:"tables,omitempty"`
	File   File         `json:"file,omitzero"`
	Device Device       `json:"device"`
	// SharedLoads counts accesses that missed the block cache and waited for another Get's
	// read of the same block (Pebble v2). They are misses, not reads.
	SharedLoads *int64 `json:"shared_loads,omitempty"`
	// GetsPerSecond is the speed of this machine; absent with a modelled device.
	GetsPerSecond float64 `json:"gets_per_second,omitempty"`
	// CPUusPerGet is absent where Gets were made at a rate, since waiting takes processor time
	// too, and where keys were overwritten meanwhile.
	CPUusPerGet float64 `json:"cpu_us_per_get,omitempty"`
	// Updates are keys that were overwritten while the Gets were measured.
	Updates *Updates `json:"updates,omitempty"`
	// Published is the study's figure, if the result reproduces one of its runs.
	Published *published.Read `json:"published,omitempty"`
	// ComparisonRun is absent unless the run is one of a comparison.
	ComparisonRun *ComparisonRun `json:"comparison_run,omitempty"`
	// Cell is absent unless the run is a cell of a plan.
	Cell *PlannedCell `json:"cell,omitempty"`
	// Continued are further runs of as many Gets with the cache as the run before left it,
	// until one was steady.
	Continued   []Continuation  `json:"continued,omitempty"`
	Checks      readpath.Checks `json:"checks"`
	Warnings    []string        `json:"warnings,omitempty"`
	Environment Environment     `json:"environment"`
}

// Engine is the library that read the database, and its configuration.
type Engine struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Preset  string            `json:"preset"`
	Options map[string]string `json:"options"` // the effective ones
	// ReadAs says as which of several clients of its format a database was read, and why.
	ReadAs string `json:"read_as,omitempty"`
}

// Dataset is the database that was read.
type Dataset struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // natural | shaped | virtual | existing
	// Keys is the number of keys that getio wrote. It is absent for a database that getio did
	// not write; Records then counts the records of the tables, if these state it.
	Keys     uint64 `json:"keys,omitempty"`
	Records  int64  `json:"records,omitempty"`
	Keyspace string `json:"keyspace"` // keccak | stratified | sampled | keys_file | trace
	Values   string `json:"values,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`
	Bytes    int64  `json:"bytes"` // of all table files
	// WALKeys are records that only the write-ahead log holds. A read-only open replays them
	// into memory, where they cost no I/O.
	WALKeys int64 `json:"wal_keys,omitempty"`
	// Live: the files were copied while another process had the database open.
	Live bool `json:"live,omitempty"`
}

// Cache is the block cache that was measured or, counted outside, the page cache that the kernel
// kept of the database.
type Cache struct {
	Bytes int64 `json:"bytes"`
	// ProcessBytes is the memory of the process besides the page cache, with the kernel's tables of
	// mapped pages; absent unless counted outside.
	ProcessBytes int64   `json:"process_bytes,omitempty"`
	Shards       int     `json:"shards,omitempty"`
	FractionOfDB float64 `json:"fraction_of_db"`
	// ReservedBytes is the part of Bytes that is reserved for memtables.
	ReservedBytes int64 `json:"reserved_bytes"`
	Phase         int   `json:"phase,omitempty"` // 1 below IP1, 2 up to IP2, 3 above; absent without a shape
}

// TableReads is what lookups in one table of an MDBX database read from the device.
type TableReads struct {
	Name        string  `json:"name"`
	DupSort     bool    `json:"dupsort,omitempty"` // lookups are of a key with one of its values
	Entries     int64   `json:"entries"`
	Gets        int64   `json:"gets"`
	ReadsPerGet float64 `json:"reads_per_get"`
	BytesPerGet float64 `json:"bytes_per_get"`
}

// Made is what was made of a workload: the Gets, or other operations, of a run.
type Made struct {
	Kind string `json:"kind"` // uniform | zipf | hotset | trace
	popularity.Popularity
	HitFraction float64 `json:"hit_fraction"`
	Workers     int     `json:"workers"`
	Seed        uint64  `json:"seed"`
	WarmupGets  int64   `json:"warmup_gets"`
	// WarmupChosenGets is how many of WarmupGets, the first ones, had keys chosen for the blocks
	// that they ask for; the others are random.
	WarmupChosenGets int64  `json:"warmup_chosen_gets,omitempty"`
	WarmupRule       string `json:"warmup_rule"` // auto, auto of all sides, a fraction, or a number
	Gets             int64  `json:"gets"`
	// GetsRule is GetsAuto if the number of Gets depended on what they showed, else absent.
	GetsRule    string `json:"gets_rule,omitempty"`
	KeysFile    string `json:"keys_file,omitempty"`    // the keys came from it
	KeysSHA256  string `json:"keys_sha256,omitempty"`  // of that file
	Trace       string `json:"trace,omitempty"`        // whose operations were repeated
	TraceSHA256 string `json:"trace_sha256,omitempty"` // of that file
	// Updates is how many keys were overwritten before the Gets.
	Updates int64 `json:"updates,omitempty"`
	// Operation is absent for Gets; otherwise all figures per Get are per operation.
	// KeysPerOperation is the number of keys that each looks up.
	Operation        string `json:"operation,omitempty"`
	KeysPerOperation int    `json:"keys_per_operation,omitempty"`
	// Lookup is LookupSeek if an iterator looked the keys up instead of Get.
	Lookup string `json:"lookup,omitempty"`
}

// Operations other than Get.
const (
	OperationScan     = "scan"
	OperationMultiget = "multiget"
)

// PerKey is the cost of each key that a scan returned or a batch looked up.
type PerKey struct {
	Keys  int64   `json:"keys"` // of all measured operations
	IOs   float64 `json:"ios"`
	Bytes float64 `json:"bytes"`
}

// LookupSeek is a seek for the key as a prefix, which consults the filters of the last level.
const LookupSeek = "prefix_seek"

// BlockCache is what the block cache itself counts, over all components.
type BlockCache struct {
	Hits    int64    `json:"hits"`
	Misses  int64    `json:"misses"`
	HitRate *float64 `json:"hit_rate,omitempty"`
	// MissesPerGet and BytesPerGet are of the measured Gets; the bytes are those of the
	// blocks as stored, without the reads that open tables.
	MissesPerGet *float64 `json:"misses_per_get,omitempty"`
	BytesPerGet  *float64 `json:"bytes_per_get,omitempty"`
}

// Continuation is a run of Gets that follows a measurement without reopening.
type Continuation struct {
	GetsBefore  int64                `json:"gets_before"` // since the open
	Gets        int64                `json:"gets"`
	Components  map[string]Component `json:"components"`
	Cached      *BlockCache          `json:"block_cache"`
	IOsPerGet   IOsPerGet            `json:"ios_per_get"`
	BytesPerGet float64              `json:"bytes_per_get"`
	// BytesWindows are as in a Result.
	BytesWindows []int64 `json:"bytes_windows,omitempty"`
}

// File is the reads of table files.
type File struct {
	ReadsPerGet float64 `json:"reads_per_get"`
	BytesPerGet float64 `json:"bytes_per_get"`
}

// Device is what is known of the reads below the files.
type Device struct {
	PageCache string `json:"page_cache"` // bypassed | cached | dropped | limited
	// ReadsPerGet are reads that reached the device. The kernel counts a process's bytes,
	// not its reads: through the page cache, they are known only if there were none.
	ReadsPerGet *float64 `json:"reads_per_get,omitempty"`
	BytesPerGet *float64 `json:"bytes_per_get,omitempty"` // as the kernel accounts for them
	// Disk is the device; DiskReadsPerGet are the reads that it completed meanwhile, for all
	// processes.
	Disk            string          `json:"disk,omitempty"`
	DiskReadsPerGet *float64        `json:"disk_reads_per_get,omitempty"`
	Modelled        *ModelledDevice `json:"modelled,omitempty"`
}

// ModelledDevice is a slower device than the real one: reads of tables waited as they would
// have for it.
type ModelledDevice struct {
	IOPS          int64   `json:"iops,omitempty"`            // absent: unlimited
	ReadLatencyUS float64 `json:"read_latency_us,omitempty"` // added to each read
	GetsPerSecond float64 `json:"gets_per_second"`
}

// Environment is the machine and software of the run.
type Environment struct {
	Getio      string `json:"getio,omitempty"`
	Go         string `json:"go"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	CPUs       int    `json:"cpus"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Kernel     string `json:"kernel,omitempty"`
	CPU        string `json:"cpu,omitempty"`
	MemoryMiB  int64  `json:"memory_mib,omitempty"`
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
		part.Workload.Gets, part.IOsPerGet, part.BytesPerGet = c.Gets, c.IOsPerGet, c.BytesPerGet
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

// RandomWarmupGets returns the number of warm-up Gets with random keys.
func (w Made) RandomWarmupGets() int64 { return w.WarmupGets - w.WarmupChosenGets }

// GetsAuto is the rule by which a run makes Gets until it is known whether it is steady.
const GetsAuto = "auto"

// EndsSteady reports whether the last run is known to be steady.
func (r *Result) EndsSteady() bool { return r.Last().IsSteady() }
