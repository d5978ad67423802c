// Package record defines what getio writes down: one JSON object per
// measurement, one object per line (JSON Lines). docs/records.md documents
// every field. Field names are stable; a field that was not measured is
// absent, never zero.
package record

import (
	"time"

	"getio/dataset/popularity"
	"getio/tree/lsm"
	"getio/tree/published"
	"getio/tree/readpath"
)

// ResultSchema marks a measurement.
const ResultSchema = "getio.result/1"

// Result is one measurement: one cache size on one database.
type Result struct {
	Schema     string               `json:"schema"`
	Time       time.Time            `json:"time"`
	Engine     Engine               `json:"engine"`
	Dataset    Dataset              `json:"dataset"`
	Shape      *lsm.Shape           `json:"shape"`
	Cache      Cache                `json:"cache"`
	Workload   Workload             `json:"workload"`
	Components map[string]Component `json:"components"`
	Cached     *BlockCache          `json:"block_cache,omitempty"`
	IOsPerGet  IOsPerGet            `json:"ios_per_get"`
	// Distribution and Latency are of single Gets; absent unless asked for.
	Distribution *Distribution `json:"ios_per_get_distribution,omitempty"`
	Latency      *Latency      `json:"latency_us,omitempty"`
	BytesPerGet  float64       `json:"bytes_per_get"`
	// PerKey is of operations that ask for several keys; absent for Gets.
	PerKey *PerKey `json:"per_key,omitempty"`
	File   File    `json:"file"`
	Device Device  `json:"device"`
	// SharedLoads counts accesses that missed the block cache but waited for
	// another Get's read of the same block instead of reading themselves
	// (Pebble v2). They are misses of the cache, not reads.
	SharedLoads *int64 `json:"shared_loads,omitempty"`
	// GetsPerSecond is this machine's; absent if the device was a modelled one.
	GetsPerSecond float64 `json:"gets_per_second,omitempty"`
	// CPUusPerGet is absent where Gets were made at a rate, as waiting takes time too, and
	// where keys were overwritten meanwhile.
	CPUusPerGet float64 `json:"cpu_us_per_get,omitempty"`
	// Updates are keys that were overwritten while the Gets were measured.
	Updates *Updates `json:"updates,omitempty"`
	// Published is what the study printed of the same run, where the result is
	// of a reproduction of it.
	Published *published.Read `json:"published,omitempty"`
	// ComparisonRun is absent unless the run is one of a comparison.
	ComparisonRun *ComparisonRun `json:"comparison_run,omitempty"`
	// Continued are further runs of as many Gets, each with the cache as the one
	// before left it, made as long as none was steady.
	Continued   []Continuation  `json:"continued,omitempty"`
	Checks      readpath.Checks `json:"checks"`
	Warnings    []string        `json:"warnings,omitempty"`
	Environment Environment     `json:"environment"`
}

// Engine says which library read the database, and how it was configured.
type Engine struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Preset  string            `json:"preset"`
	Options map[string]string `json:"options"` // the effective ones
}

// Dataset says what was read.
type Dataset struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // natural | shaped | virtual | existing
	// Keys is the number of keys that getio wrote; for a database that it did
	// not write, it is absent and Records counts the tables' records instead, if
	// they say how many they hold.
	Keys     uint64 `json:"keys,omitempty"`
	Records  int64  `json:"records,omitempty"`
	Keyspace string `json:"keyspace"` // keccak | stratified | sampled | keys_file | trace
	Values   string `json:"values,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`
	Bytes    int64  `json:"bytes"` // of all table files
	// WALKeys are keys that only the write-ahead log holds. A read-only open
	// replays them into memory, where reading them costs no I/O.
	WALKeys int64 `json:"wal_keys,omitempty"`
	// Live: a copy was read of a database that another process had open.
	Live bool `json:"live,omitempty"`
}

// Cache is the block cache that was measured.
type Cache struct {
	Bytes        int64   `json:"bytes"`
	Shards       int     `json:"shards"`
	FractionOfDB float64 `json:"fraction_of_db"`
	// ReservedBytes is the part of Bytes that the engine sets aside for its
	// memtable, so that blocks cannot use it.
	ReservedBytes int64 `json:"reserved_bytes"`
	Phase         int   `json:"phase"` // 1 below IP1, 2 up to IP2, 3 above
}

// Workload says which Gets were made.
type Workload struct {
	Kind string `json:"kind"` // uniform | zipf | hotset | trace
	popularity.Popularity
	HitFraction float64 `json:"hit_fraction"`
	Workers     int     `json:"workers"`
	Seed        uint64  `json:"seed"`
	WarmupGets  int64   `json:"warmup_gets"`
	WarmupRule  string  `json:"warmup_rule"` // auto, auto of all sides, a fraction, or a number
	Gets        int64   `json:"gets"`
	KeysFile    string  `json:"keys_file,omitempty"`    // that the keys came from
	KeysSHA256  string  `json:"keys_sha256,omitempty"`  // of that file
	Trace       string  `json:"trace,omitempty"`        // whose operations were made again
	TraceSHA256 string  `json:"trace_sha256,omitempty"` // of that file
	// Updates is how many keys were overwritten before the Gets.
	Updates int64 `json:"updates,omitempty"`
	// Operation is what was made, if it was no Gets: all that is said of Gets is then of
	// these. KeysPerOperation is how many keys each asked for.
	Operation        string `json:"operation,omitempty"`
	KeysPerOperation int    `json:"keys_per_operation,omitempty"`
	// Lookup is LookupSeek if keys were looked up with an iterator, not with Get.
	Lookup string `json:"lookup,omitempty"`
}

// Operations that are no Gets, as Workload has them.
const (
	OperationScan     = "scan"
	OperationMultiget = "multiget"
)

// PerKey is what each key of an operation cost: each that a scan returned, or that was
// looked up together with others.
type PerKey struct {
	Keys  int64   `json:"keys"` // of all measured operations
	IOs   float64 `json:"ios"`
	Bytes float64 `json:"bytes"`
}

// LookupSeek is a seek for the key as a prefix, which consults the filters of the
// last level.
const LookupSeek = "prefix_seek"

// Component is one component's share of the measured Gets.
type Component struct {
	// Accesses are nil where it is not known whose they are.
	Accesses *int64 `json:"accesses,omitempty"`
	// Misses are accesses that the block cache could not serve and that were
	// read from the file.
	Misses    int64    `json:"misses"`
	HitRate   *float64 `json:"hit_rate,omitempty"` // absent without accesses
	BytesRead int64    `json:"bytes_read"`
	// Split is SplitExact or SplitEstimated; only for index and data, whose
	// accesses the engine counts as one sum.
	Split string `json:"split,omitempty"`
}

// How index and data accesses were told apart.
const (
	SplitEstimated = "estimated"
	SplitExact     = "exact"
)

// BlockCache is the whole block cache's own count.
type BlockCache struct {
	Hits    int64    `json:"hits"`
	Misses  int64    `json:"misses"`
	HitRate *float64 `json:"hit_rate,omitempty"`
	// MissesPerGet and BytesPerGet are of the measured Gets; the bytes are those of
	// the blocks that were read, as they are stored, without what opening tables reads.
	MissesPerGet *float64 `json:"misses_per_get,omitempty"`
	BytesPerGet  *float64 `json:"bytes_per_get,omitempty"`
}

// Continuation is a run of Gets that follows a measurement without a new open.
type Continuation struct {
	GetsBefore  int64                `json:"gets_before"` // since the open
	Gets        int64                `json:"gets"`
	Components  map[string]Component `json:"components"`
	Cached      *BlockCache          `json:"block_cache"`
	IOsPerGet   IOsPerGet            `json:"ios_per_get"`
	BytesPerGet float64              `json:"bytes_per_get"`
}

// File is what reached the table files.
type File struct {
	ReadsPerGet float64 `json:"reads_per_get"`
	BytesPerGet float64 `json:"bytes_per_get"`
}

// Device says what is known of the layer below the files.
type Device struct {
	PageCache string `json:"page_cache"` // bypassed | cached | dropped
	// ReadsPerGet are reads that reached the device. The kernel accounts for a
	// process's bytes and not for its reads: through the page cache as it is, only
	// none are known.
	ReadsPerGet *float64 `json:"reads_per_get,omitempty"`
	BytesPerGet *float64 `json:"bytes_per_get,omitempty"` // as the kernel accounts for them
	// Disk is the device, and DiskReadsPerGet what it completed in that time for
	// whoever used it.
	Disk            string          `json:"disk,omitempty"`
	DiskReadsPerGet *float64        `json:"disk_reads_per_get,omitempty"`
	Modelled        *ModelledDevice `json:"modelled,omitempty"`
}

// ModelledDevice is a slower device than the one that was there: reads of tables
// waited as they would have for it.
type ModelledDevice struct {
	IOPS          int64   `json:"iops,omitempty"`            // absent: no bound
	ReadLatencyUS float64 `json:"read_latency_us,omitempty"` // added to each read
	GetsPerSecond float64 `json:"gets_per_second"`
}

// Environment is where the run took place.
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

// Measured tells whether the record has any figure: Gets were made.
func (r *Result) Measured() bool { return r.Workload.Gets > 0 }

// TargetRate is how many Gets were due a second; 0 if each was made as soon as the one before
// it was.
func (r *Result) TargetRate() int64 {
	if r.Latency == nil {
		return 0
	}
	return r.Latency.Rate
}

// Last is what the last Gets read that were made, continued or not.
func (r *Result) Last() *IOsPerGet {
	if n := len(r.Continued); n > 0 {
		return &r.Continued[n-1].IOsPerGet
	}
	return &r.IOsPerGet
}

// EndsSteady tells whether the last Gets that were made are known to have come to
// rest.
func (r *Result) EndsSteady() bool { return r.Last().IsSteady() }

// HitRate is the share of hits; nil where there was nothing to hit.
func HitRate(hits, of int64) *float64 {
	if of == 0 {
		return nil
	}
	r := float64(hits) / float64(of)
	return &r
}
