package record

import (
	"cmp"
	"time"

	"getio/client/geth"
	"getio/engine/lsm"
)

// Advice says which cache to read a database with and what else would change its reads.
// All I/Os per Get are predicted.
type Advice struct {
	Schema   string     `json:"schema"`
	Time     time.Time  `json:"time"`
	Source   string     `json:"of"`      // name of the database or shape
	Library  string     `json:"library"` // whose reads are predicted
	Shape    *lsm.Shape `json:"shape"`
	Workload Simulated  `json:"workload"`
	// Memory and Target are what the user asked for; Memory is absent without a limit.
	Memory int64   `json:"memory_bytes,omitempty"`
	Target float64 `json:"target,omitempty"`
	// Geth says what geth does with its flags; absent unless it reads the database.
	Geth *GethMachine `json:"geth,omitempty"`
	// FirstMemtable: the client that has the database open has not filled the memtable that it began
	// with, so that its two memtables are small, and the flags are for that.
	FirstMemtable bool `json:"first_memtable,omitempty"`
	// Trial is the run of Gets in the database that the errors come from. Absent without a
	// database.
	Trial   *AdviceTrial    `json:"trial,omitempty"`
	Caches  []*AdvisedCache `json:"caches"` // by size
	Changes []*Change       `json:"changes,omitempty"`
	Waste   []*Waste        `json:"waste,omitempty"`

	Warnings []string `json:"warnings,omitempty"`
}

// GethMachine is geth on a machine.
type GethMachine struct {
	Version     string `json:"version"` // whose rules they are
	MemoryBytes int64  `json:"memory_bytes"`
	// MostCacheMiB is the largest --cache that it leaves as it is.
	MostCacheMiB int64 `json:"most_cache_mib"`
}

// AdviceTrial is a run of Gets from an empty cache.
type AdviceTrial struct {
	WarmupGets int64  `json:"warmup_gets"`
	Gets       int64  `json:"gets"`
	Seed       uint64 `json:"seed,omitempty"`
	// Live: the Gets were those of a running client, counted from outside; IOsPerGet is what they
	// cost. Both are absent otherwise.
	Live      bool     `json:"live,omitempty"`
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
}

// AdvisedCache is a cache and the predicted cost of Gets with it.
type AdvisedCache struct {
	Reasons []string       `json:"for"` // ReasonPresent and others
	Cache   PredictedCache `json:"cache"`
	// GethCacheMiB is the --cache that gives geth as large a block cache, and GethDatabase the
	// --cache.database in per cent, which is absent if it is geth's default. Both are absent unless
	// geth reads the database, and if geth would lower them on a machine of this memory.
	GethCacheMiB int64      `json:"geth_cache_mib,omitempty"`
	GethDatabase int64      `json:"geth_cache_database,omitempty"`
	IOsPerGet    AdvisedIOs `json:"ios_per_get"`
	// GetsToSteady is absent if the run did not become steady; the figures are then those
	// of its last part.
	GetsToSteady *int64                        `json:"gets_to_steady,omitempty"`
	BytesPerGet  *float64                      `json:"bytes_per_get,omitempty"`
	Components   map[string]PredictedComponent `json:"components"`
}

// GethLeastMiB is the least that geth gives its store.
const GethLeastMiB = geth.LeastStoreMiB

// BelowGeth reports whether geth certainly cannot be set to so small a block cache: its store has the
// least that geth gives, and of that, the block cache takes half or more.
func (c *AdvisedCache) BelowGeth() bool {
	store := c.GethCacheMiB * cmp.Or(c.GethDatabase, geth.DatabasePercent) / 100
	return store <= geth.LeastStoreMiB && 2*c.Cache.Bytes < store<<20
}

// Why the advice lists a cache.
const (
	ReasonPresent = "present" // the cache that the database has
	ReasonMemory  = "memory"  // the largest that is allowed
	ReasonDouble  = "double"  // twice one of these
	ReasonFilters = "filters" // the cheapest that holds filters and top indexes
	ReasonIndexes = "indexes" // the cheapest that holds index blocks too
	ReasonTarget  = "target"  // the cheapest that makes the wanted I/Os per Get
	ReasonNextGiB = "gib"     // a GiB more than the present one
	// ReasonWorth is the cheapest that saves nine tenths of the reads which any cache can save.
	ReasonWorth = "worth"
)

// PlateauReads is the number of reads per Get of a kind of block up to which a cache counts
// as holding all of them: there the curve bends into a plateau.
const PlateauReads = 0.05

// AdvisedIOs are the I/Os per Get with a cache.
type AdvisedIOs struct {
	Predicted float64 `json:"predicted"` // steady; of a trace or other own workload, that of its Gets
	// SamplingError is the standard error of simulating only some of the shards, or from a trace that
	// is a sample. Absent if all were simulated. For LevelDB, it is the standard deviation of
	// Predicted between runs of the same Gets, and for several shards of HyperClock between placements of blocks; absent
	// below 1%.
	SamplingError *float64 `json:"sampling_error,omitempty"`
	// Error is by how much the prediction of the trial differed with this cache, as a share of the
	// measured I/Os per Get. Absent without a trial.
	Error *float64 `json:"error,omitempty"`
	// ErrorHalf is half the width of the 95% interval of Error: so much does chance decide in the Gets of the trial and in
	// those of its prediction. Absent where the same Gets were predicted and measured.
	ErrorHalf *float64 `json:"error_half,omitempty"`
}

// Change is the predicted effect of changing something other than the cache.
type Change struct {
	What       string `json:"what"` // as in predict --what-if
	CacheBytes int64  `json:"cache_bytes"`
	// Keys is KeysExisting or KeysAbsent.
	Keys string  `json:"of"`
	Now  float64 `json:"ios_per_get_now"`
	Then float64 `json:"ios_per_get_then"`
	// Error is by how much the analytic method differs from the simulation with this
	// cache, for existing keys and the unchanged tree, as a share. Absent for absent keys,
	// and where nothing is read.
	Error *float64 `json:"error,omitempty"`
}

// Which keys Gets ask for.
const (
	KeysExisting = "existing"
	KeysAbsent   = "absent"
)

// Kinds of waste.
const (
	WasteFilters = "filters_never_consulted"
	WasteHandles = "table_handles"
	WasteLevel0  = "level_0"
)

// Waste is a cost without a benefit.
type Waste struct {
	What string `json:"what"` // WasteFilters and others
	// Bytes on disk, tables that cannot be kept open, or sorted runs of L0.
	Amount int64 `json:"amount"`
	// IOsPerGet is its cost with the present cache; absent if it costs no reads.
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
}
