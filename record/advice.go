package record

import (
	"cmp"
	"time"

	"getio/engine/lsm"
)

// Advice says which cache to read a database with and what else would change its reads.
type Advice struct {
	Schema   string        `json:"schema"`
	Answer   *AdviceAnswer `json:"answer,omitempty"` // what to set; absent from older records
	Time     time.Time     `json:"time"`             // when it was made, UTC
	Source   string        `json:"of"`               // as in a prediction
	Library  string        `json:"library"`          // as in a prediction
	Shape    *lsm.Shape    `json:"shape"`            // without the list of tables
	Workload Simulated     `json:"workload"`         // of computed figures; without Gets if these are simulated
	// Memory is the limit that was requested.
	Memory int64 `json:"memory_bytes,omitempty"`
	// Target is the I/Os per Get that were requested.
	Target float64 `json:"target,omitempty"`
	// Geth describes geth's limits on this machine; only for its databases.
	Geth *GethMachine `json:"geth,omitempty"`
	// FirstMemtable means that the flags are for a client that has not filled its first memtable.
	FirstMemtable bool `json:"first_memtable,omitempty"`
	// Trial is how the figures were checked.
	Trial   *AdviceTrial    `json:"trial,omitempty"`
	Caches  []*AdvisedCache `json:"caches"`            // by size
	Changes []*Change       `json:"changes,omitempty"` // of something else than the cache
	Waste   []*Waste        `json:"waste,omitempty"`   // costs without a benefit

	Warnings []string `json:"warnings,omitempty"` // what a reader should know
}

// AdviceAnswer is what to set.
type AdviceAnswer struct {
	Keep bool `json:"keep,omitempty"` // the present cache: nothing is to be gained
	// Missed means that no cache within the limit reaches the aim.
	Missed       bool     `json:"missed,omitempty"`
	CacheBytes   int64    `json:"cache_bytes"`                   // of the caches listed
	GethCacheMiB int64    `json:"geth_cache_mib,omitempty"`      // as there
	GethDatabase int64    `json:"geth_cache_database,omitempty"` // as there
	Now          *float64 `json:"ios_per_get_now,omitempty"`     // with the present cache, if known
	Then         float64  `json:"ios_per_get"`                   // with this one
}

// GethMachine is geth on a machine.
type GethMachine struct {
	Version     string `json:"version"`      // whose rules the flags follow
	MemoryBytes int64  `json:"memory_bytes"` // of the machine
	// MostCacheMiB is the largest --cache that geth leaves as it is.
	MostCacheMiB int64 `json:"most_cache_mib"`
	// MemtableShare is the part of the store's memory that is not for blocks.
	MemtableShare float64 `json:"memtable_share,omitempty"`
}

// AdviceTrial is how figures were checked: by runs with the library's own caches, or by what a running client read.
type AdviceTrial struct {
	WarmupGets int64   `json:"warmup_gets"`       // before the measured ones
	Gets       int64   `json:"gets"`              // after the warm-up
	Seed       uint64  `json:"seed,omitempty"`    // of the requested keys
	Seconds    float64 `json:"seconds,omitempty"` // that the runs took
	// Live means that the Gets were a running client's, counted from outside.
	Live bool `json:"live,omitempty"`
	// IOsPerGet is what live Gets cost.
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
}

// AdvisedCache is a cache and the cost of Gets with it.
type AdvisedCache struct {
	// Reasons why the cache is listed: "present", "half" or "double" of it, "most" (of use), "memory" (the limit); the
	// cheapest with which "filters" or "indexes" stay cached, for the "target", or for 90% of the largest possible
	// saving ("worth").
	Reasons []string       `json:"for"`
	Cache   PredictedCache `json:"cache"` // computed figures of "target" and "worth" are interpolated
	// GethCacheMiB is the --cache that gives geth as large a block cache; absent if it cannot have that.
	GethCacheMiB int64 `json:"geth_cache_mib,omitempty"`
	// GethDatabase is the --cache.database that goes with it, in per cent; absent if geth's default.
	GethDatabase int64      `json:"geth_cache_database,omitempty"`
	IOsPerGet    AdvisedIOs `json:"ios_per_get"`
	// GetsToSteady is absent if the run did not become steady; the figures are then of the second half of its Gets.
	GetsToSteady *int64   `json:"gets_to_steady,omitempty"`
	BytesPerGet  *float64 `json:"bytes_per_get,omitempty"` // as in a prediction, steady
	// PageBytesPerGet are as in a prediction, steady; measured where the I/Os per Get are.
	PageBytesPerGet *float64 `json:"page_bytes_per_get,omitempty"`
	// Memory has the computed device reads if the rest of the machine's memory is page cache; absent if not known.
	Memory     *PredictedMemory              `json:"memory,omitempty"`
	Components map[string]PredictedComponent `json:"components"` // steady
}

// DefaultGethDatabase is the --cache.database, in per cent, of records without one.
const DefaultGethDatabase = 50

// Why the advice lists a cache.
const (
	ReasonPresent = "present" // the cache that the database has
	ReasonHalf    = "half"    // half of it
	ReasonDouble  = "double"  // twice as much
	ReasonMost    = "most"    // the largest that the client can have on its machine
	ReasonMemory  = "memory"  // the largest that is allowed
	ReasonFilters = "filters" // the cheapest that holds filters and top indexes
	ReasonIndexes = "indexes" // the cheapest that holds index blocks too
	ReasonTarget  = "target"  // the cheapest that makes the wanted I/Os per Get
	// ReasonWorth is the cheapest that saves 90% of the reads which the largest cache saves.
	ReasonWorth = "worth"
)

// PlateauReads is the number of reads per Get of a kind of block up to which a cache counts
// as holding all of them: there the curve bends into a plateau.
const PlateauReads = 0.05

// AdvisedIOs are the I/Os per Get with a cache.
type AdvisedIOs struct {
	// Measured is by a run with the library's own cache, or of a client.
	Measured *float64 `json:"measured,omitempty"`
	// MeasuredCI95 is its 95% interval; absent if the same Gets were computed with.
	MeasuredCI95 *[2]float64 `json:"measured_ci95,omitempty"`
	// Predicted is computed: steady; of a trace or other own workload, after its warm-up.
	Predicted float64 `json:"predicted"`
	// SamplingError is its standard error, as in a prediction.
	SamplingError *float64 `json:"sampling_error,omitempty"`
	// Error is the difference of the prediction from what was measured with this cache, as a share of that.
	Error *float64 `json:"error,omitempty"`
}

// Known returns the best figure: the measured one if there is one.
func (a *AdvisedIOs) Known() float64 { return *cmp.Or(a.Measured, &a.Predicted) }

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
