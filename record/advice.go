package record

import (
	"time"

	"getio/tree/lsm"
)

// AdviceSchema marks an advice.
const AdviceSchema = "getio.advice/1"

// Advice is which cache a database should be read with, and what else would change
// its reads. All I/Os per Get are predicted.
type Advice struct {
	Schema   string            `json:"schema"`
	Time     time.Time         `json:"time"`
	Source   string            `json:"of"`      // whose shape it is
	Library  string            `json:"library"` // whose reads are predicted
	Shape    *lsm.Shape        `json:"shape"`
	Workload PredictedWorkload `json:"workload"`
	// Memory and Target are what was asked for; Memory is absent if no limit was.
	Memory int64   `json:"memory_bytes,omitempty"`
	Target float64 `json:"target"`
	// Trial is the run of the database's own Gets that errors come from. Absent if
	// there is no database.
	Trial   *AdviceTrial    `json:"trial,omitempty"`
	Caches  []*AdvisedCache `json:"caches"` // by size
	Changes []*Change       `json:"changes,omitempty"`
	Waste   []*Waste        `json:"waste,omitempty"`
}

// AdviceTrial is a run of Gets from an empty cache.
type AdviceTrial struct {
	WarmupGets int64  `json:"warmup_gets"`
	Gets       int64  `json:"gets"`
	Seed       uint64 `json:"seed"`
}

// AdvisedCache is a cache, and what Gets make with it.
type AdvisedCache struct {
	Reasons []string       `json:"for"` // why it is looked at: ForPresent and others
	Cache   PredictedCache `json:"cache"`
	// GethCacheMiB is the --cache to start geth with for as much room for blocks.
	// Absent where geth is not meant.
	GethCacheMiB int64      `json:"geth_cache_mib,omitempty"`
	IOsPerGet    AdvisedIOs `json:"ios_per_get"`
	// GetsToSteady is absent if the run did not come to rest; the figures are then
	// those of its last part.
	GetsToSteady *int64                        `json:"gets_to_steady,omitempty"`
	BytesPerGet  *float64                      `json:"bytes_per_get,omitempty"`
	Components   map[string]PredictedComponent `json:"components"`
}

// What caches are looked at for.
const (
	ReasonPresent = "present" // the cache that the database has
	ReasonMemory  = "memory"  // the largest that is allowed
	ReasonDouble  = "double"  // twice one of these
	ReasonFilters = "filters" // the cheapest that holds filters and top indexes
	ReasonIndexes = "indexes" // the cheapest that holds index blocks too
	ReasonTarget  = "target"  // the cheapest that makes the wanted I/Os per Get
)

// PlateauReads is how many reads per Get there may be of blocks that count as held: where
// the curve bends into a plateau.
const PlateauReads = 0.05

// AdvisedIOs are the I/Os per Get with a cache.
type AdvisedIOs struct {
	Predicted float64 `json:"predicted"` // steady
	// SamplingError is the standard error that comes from simulating a sample of the
	// shards. Absent if all were.
	SamplingError *float64 `json:"sampling_error,omitempty"`
	// Error is how far the twin was off in the trial with this cache, as a share of
	// what the database's own Gets made. Absent without one.
	Error *float64 `json:"error,omitempty"`
}

// Change is what something other than the cache would change, with the cache at
// hand.
type Change struct {
	What       string `json:"what"` // in the words of predict's --what-if
	CacheBytes int64  `json:"cache_bytes"`
	// Keys is which keys the Gets ask for: OfExisting or OfAbsent.
	Keys string  `json:"of"`
	Now  float64 `json:"ios_per_get_now"`
	Then float64 `json:"ios_per_get_then"`
	// Error is how far the method, which is analytic here, was off from the
	// simulation with this cache, for existing keys and the tree as it is, as a
	// share. Absent for absent keys, and where nothing is read.
	Error *float64 `json:"error,omitempty"`
}

// Which keys Gets ask for.
const (
	KeysExisting = "existing"
	KeysAbsent   = "absent"
)

// What is wasted.
const (
	WasteFilters = "filters_never_consulted"
	WasteHandles = "table_handles"
	WasteLevel0  = "level_0"
)

// Waste is what costs without need.
type Waste struct {
	What string `json:"what"` // WasteFilters and others
	// Bytes on disk, tables that cannot be kept open, or sorted runs of L0.
	Amount int64 `json:"amount"`
	// IOsPerGet is what it costs with the cache at hand; absent if it costs no
	// reads.
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
}
