package record

import (
	"cmp"
	"time"

	"getio/engine/lsm"
)

// Advice says which cache to read a database with and what else would change its reads.
// All I/Os per Get are predicted.
type Advice struct {
	Schema   string     `json:"schema"`
	Time     time.Time  `json:"time"`     // when it was made, UTC
	Source   string     `json:"of"`       // as in a prediction
	Library  string     `json:"library"`  // as in a prediction
	Shape    *lsm.Shape `json:"shape"`    // without the list of tables
	Workload Simulated  `json:"workload"` // of all figures; without Gets if they are simulated and all keys equally popular
	// Memory is the limit that was requested.
	Memory int64 `json:"memory_bytes,omitempty"`
	// Target is the I/Os per Get that were requested.
	Target float64 `json:"target,omitempty"`
	// Geth is what geth does with its flags; absent unless geth reads the database.
	Geth *GethMachine `json:"geth,omitempty"`
	// FirstMemtable means that the flags are for a client that has not filled its first memtable, so its two memtables
	// are small.
	FirstMemtable bool `json:"first_memtable,omitempty"`
	// Trial is the run of Gets in the database that the errors come from.
	Trial   *AdviceTrial    `json:"trial,omitempty"`
	Caches  []*AdvisedCache `json:"caches"`            // by size
	Changes []*Change       `json:"changes,omitempty"` // of something else than the cache
	Waste   []*Waste        `json:"waste,omitempty"`   // costs without a benefit

	Warnings []string `json:"warnings,omitempty"` // what a reader should know
}

// GethMachine is geth on a machine.
type GethMachine struct {
	Version     string `json:"version"`      // whose rules the flags follow
	MemoryBytes int64  `json:"memory_bytes"` // of the machine
	// MostCacheMiB is the largest --cache that geth leaves as it is.
	MostCacheMiB int64 `json:"most_cache_mib"`
}

// AdviceTrial is a run of Gets from an empty cache.
type AdviceTrial struct {
	WarmupGets int64  `json:"warmup_gets"`    // before the measured ones
	Gets       int64  `json:"gets"`           // after the warm-up
	Seed       uint64 `json:"seed,omitempty"` // of the requested keys
	// Live means that the Gets were a running client's, counted from outside.
	Live bool `json:"live,omitempty"`
	// IOsPerGet is what live Gets cost.
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
}

// AdvisedCache is a cache and the predicted cost of Gets with it.
type AdvisedCache struct {
	// Reasons why the cache is listed: "present", "memory", "double" (of these), "filters" (the cheapest with room for
	// filters and top indexes), "indexes" (and index blocks), "target" (the cheapest that reaches it), "gib" (a GiB
	// more than the present one), "worth" (the cheapest that gives 90% of the largest possible saving).
	Reasons []string       `json:"for"`
	Cache   PredictedCache `json:"cache"` // figures of "target", "gib" and "worth" are interpolated
	// GethCacheMiB is the --cache that gives geth as large a block cache beside one memtable; absent for datasets of
	// getio, and if geth would lower it.
	GethCacheMiB int64 `json:"geth_cache_mib,omitempty"`
	// GethDatabase is the --cache.database that goes with it, in per cent; absent if geth's default.
	GethDatabase int64      `json:"geth_cache_database,omitempty"`
	IOsPerGet    AdvisedIOs `json:"ios_per_get"`
	// GetsToSteady is absent if the run did not become steady; the figures are then of the second half of its Gets.
	GetsToSteady *int64   `json:"gets_to_steady,omitempty"`
	BytesPerGet  *float64 `json:"bytes_per_get,omitempty"` // as in a prediction, steady
	// PageBytesPerGet are as in a prediction, steady.
	PageBytesPerGet *float64                      `json:"page_bytes_per_get,omitempty"`
	Components      map[string]PredictedComponent `json:"components"` // steady
}

// What geth does, as these records mean it, whatever another version of geth does.
const (
	GethLeastMiB        = 16 // the least that geth gives its store
	DefaultGethDatabase = 50 // --cache.database in per cent where it is absent
)

// BelowGeth reports whether geth certainly cannot be set to so small a block cache: its store has the
// least that geth gives, and of that, the block cache takes half or more.
func (c *AdvisedCache) BelowGeth() bool {
	store := c.GethCacheMiB * cmp.Or(c.GethDatabase, DefaultGethDatabase) / 100
	return store <= GethLeastMiB && 2*c.Cache.Bytes < store<<20
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
	// ReasonWorth is the cheapest that saves 90% of the reads which the largest cache saves.
	ReasonWorth = "worth"
)

// PlateauReads is the number of reads per Get of a kind of block up to which a cache counts
// as holding all of them: there the curve bends into a plateau.
const PlateauReads = 0.05

// AdvisedIOs are the I/Os per Get with a cache.
type AdvisedIOs struct {
	Predicted float64 `json:"predicted"` // steady; of a trace or other own workload, after its warm-up
	// SamplingError is the standard error, as in a prediction.
	SamplingError *float64 `json:"sampling_error,omitempty"`
	// Error is the difference of the prediction from the trial with this cache, as a share of the measured I/Os per
	// Get.
	Error *float64 `json:"error,omitempty"`
	// ErrorHalf is half the width of the error's 95% interval, by chance in the Gets of the trial and of its
	// prediction; absent if these are the same.
	ErrorHalf *float64 `json:"error_half,omitempty"`
}

// Change is the predicted effect of changing something other than the cache.
type Change struct {
	What       string `json:"what"`        // as in --what-if
	CacheBytes int64  `json:"cache_bytes"` // cache that it is predicted for
	// Keys is "existing" or "absent": the requested keys.
	Keys string  `json:"of"`
	Now  float64 `json:"ios_per_get_now"`  // as "predict --steady" computes it
	Then float64 `json:"ios_per_get_then"` // with the change
	// Error is the difference of that method from the simulation with this cache and the unchanged tree, as a share;
	// absent for absent keys.
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
	What   string `json:"what"`   // "filters_never_consulted" (bytes), "table_handles" (tables beyond the limit of open files) or "level_0" (sorted runs)
	Amount int64  `json:"amount"` // in that unit
	// IOsPerGet is its cost with the present cache; absent if it costs no reads.
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
}
