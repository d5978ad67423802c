package record

import (
	"time"

	"getio/engine/lsm"
	"getio/workload"
	"getio/workload/popularity"
)

// Methods of predictions.
const (
	MethodTwin     = "twin"     // Gets and cache are simulated
	MethodAnalytic = "analytic" // the steady state is computed, with the best choice of blocks
	MethodReplay   = "replay"   // the cache is simulated for the Gets of a real database
)

// Prediction is the predicted cost of Gets in a tree of one shape with one cache.
type Prediction struct {
	Schema    string         `json:"schema"`
	Time      time.Time      `json:"time"`    // when it was made, UTC
	Source    string         `json:"of"`      // the shape: a published database, a file, or a number of keys
	Library   string         `json:"library"` // engine whose reads are predicted
	Shape     *lsm.Shape     `json:"shape"`   // without the list of tables
	Cache     PredictedCache `json:"cache"`
	Workload  Simulated      `json:"workload"`
	Method    string         `json:"method"` // "twin": Gets and cache were simulated; "analytic": the steady state was computed for the best choice of blocks; "replay": a database's accesses went through a simulated cache
	IOsPerGet PredictedIOs   `json:"ios_per_get"`
	// GetsToSteady are Gets until the run was steady, warm-up included; only of the twin.
	GetsToSteady *int64 `json:"gets_to_steady,omitempty"`
	// BytesPerGet are read from files; absent if the size of blocks there is unknown.
	BytesPerGet *float64 `json:"bytes_per_get,omitempty"`
	// PageBytesPerGet are as in [Result]; of a shape, the mean over all places where blocks may begin in a page.
	PageBytesPerGet *float64 `json:"page_bytes_per_get,omitempty"`
	// FirstPageBytesPerGet are of the pages that no earlier Get touched, in the window: what devices read if the page
	// cache keeps every page; only of the twin.
	FirstPageBytesPerGet *float64 `json:"first_page_bytes_per_get,omitempty"`
	// Memory has the device reads for each size of the machine's memory (--memory); not of a sample.
	Memory []PredictedMemory `json:"memory,omitempty"`
	// Components are blocks per Get, in the window or the steady state. "table_open" are reads that open tables again
	// (max_open_files), "blob" values read from blob files.
	Components map[string]PredictedComponent `json:"components"`
	// OpenTables is how many tables the library keeps open at most (max_open_files), if the tree of --shape has more.
	// The reads that open tables again are then not predicted.
	OpenTables int64 `json:"open_tables,omitempty"`
	// ReadsByCause are the I/Os per Get of the window, by cause; only by the twin.
	ReadsByCause *Causes  `json:"reads_by_cause,omitempty"`
	Warnings     []string `json:"warnings,omitempty"` // what a reader should know
}

// PredictedMemory has the device reads if block cache and page cache share a machine's memory. The simulated page cache is
// Linux's, without lru_gen and swap. It starts full of random pages of the tables.
type PredictedMemory struct {
	Bytes             int64       `json:"bytes"`                   // of the machine
	OtherBytes        int64       `json:"other_bytes,omitempty"`   // of these, for other things than caches (--other-memory)
	OutsideBytes      int64       `json:"outside_bytes,omitempty"` // of these, for indexes and filters that open tables hold outside of the block cache
	PageCacheBytes    int64       `json:"page_cache_bytes"`        // what these and the block cache leave
	DeviceReadsPerGet float64     `json:"device_reads_per_get"`    // neighbouring pages are one read
	DeviceBytesPerGet float64     `json:"device_bytes_per_get"`    // in whole pages
	CI95              *[2]float64 `json:"ci95,omitempty"`          // as [PredictedIOs.CI95], of the device reads
}

// PredictedCache is the cache that was simulated.
type PredictedCache struct {
	Bytes         int64  `json:"bytes"`                    // as in [Cache]
	ReservedBytes int64  `json:"reserved_bytes"`           // of these, that blocks cannot use
	Phase         int    `json:"phase"`                    // as in [Cache]
	Policy        string `json:"policy,omitempty"`         // of the twin: "clockpro" (Pebble), "lru" (LevelDB, which charges blocks for their buffers), "lru-priorities" or "hyper-clock" (RocksDB), or "s3fifo"
	Shards        int    `json:"shards,omitempty"`         // of the twin
	SampledShards int    `json:"sampled_shards,omitempty"` // how many were simulated
	GethCacheMiB  int64  `json:"geth_cache_mib,omitempty"` // as in [Cache]
}

// Simulated is what was simulated of a workload.
type Simulated struct {
	Kind string `json:"kind"` // as in [Made]
	popularity.Popularity
	HitFraction float64 `json:"hit_fraction"`          // as in [Made]
	Seed        uint64  `json:"seed,omitempty"`        // of the simulated Gets
	WarmupGets  int64   `json:"warmup_gets,omitempty"` // simulated
	Gets        int64   `json:"gets,omitempty"`        // simulated after the warm-up
	workload.Files
	// Sample is N if the trace has one of N neighbourhoods of keys. Gets and warm-up count its own; all other figures
	// are for all Gets.
	Sample int64 `json:"sample,omitempty"`
}

// PredictedIOs are the I/Os per Get.
type PredictedIOs struct {
	Window *float64 `json:"window,omitempty"` // after the warm-up; only of twin and replay
	// CI95 is the 95% interval of what such Gets cost, from 20 parts of them; only of a replay of random Gets.
	CI95   *[2]float64 `json:"ci95,omitempty"`
	Steady *float64    `json:"steady,omitempty"` // once the run is steady; absent if it did not become so
	// Error is the standard error of [PredictedIOs.Window] from simulating only some shards, other shards than the
	// database's, or a sampled trace; for LevelDB, the standard deviation between runs of the same Gets, for a small
	// cache of Pebble between placements of index blocks in shards, for several shards of RocksDB of all blocks.
	// Absent below 1% if all were simulated.
	Error *float64 `json:"error,omitempty"`
	// InLog is the share by which figures may be too high, at most, because of keys in the write-ahead log.
	InLog float64 `json:"in_log,omitempty"`
	// Windows cover the run from its first Get until it was steady (--until-steady).
	Windows []PredictedWindow `json:"windows,omitempty"`
	// Measured is the cost of the same Gets with the library's own cache (--verify).
	Measured *float64 `json:"measured,omitempty"`
}

// PredictedWindow is a number of consecutive Gets.
type PredictedWindow struct {
	Gets      int64   `json:"gets"`        // consecutive ones
	IOsPerGet float64 `json:"ios_per_get"` // of these Gets
}

// PredictedComponent is one component's blocks per Get.
type PredictedComponent struct {
	Accesses float64  `json:"accesses"`           // per Get
	Misses   float64  `json:"misses"`             // per Get
	HitRate  *float64 `json:"hit_rate,omitempty"` // not from a sample
}

// Causes divide the reads per Get by what would have avoided them.
type Causes struct {
	Compulsory float64 `json:"compulsory"` // reads of blocks that no Get had accessed before
	Capacity   float64 `json:"capacity"`   // reads that the best fixed choice of blocks would also make
	Policy     float64 `json:"policy"`     // the rest; below 0 if the cache did better, as it may while it fills
}

// NewPredictedComponent returns a component with its hit rate.
func NewPredictedComponent(accesses, misses float64) PredictedComponent {
	c := PredictedComponent{Accesses: accesses, Misses: misses}
	if accesses > 0 {
		c.HitRate = new(1 - misses/accesses)
	}
	return c
}
