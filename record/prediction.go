package record

import (
	"time"

	"getio/engine/lsm"
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
	Time      time.Time      `json:"time"`
	Source    string         `json:"of"`      // name of the database or shape
	Library   string         `json:"library"` // whose reads are predicted
	Shape     *lsm.Shape     `json:"shape"`
	Cache     PredictedCache `json:"cache"`
	Workload  Simulated      `json:"workload"`
	Method    string         `json:"method"`
	IOsPerGet PredictedIOs   `json:"ios_per_get"`
	// GetsToSteady is the number of Gets, warm-up included, until the run was steady. Absent
	// if it did not become steady, or if that was not asked for.
	GetsToSteady *int64 `json:"gets_to_steady,omitempty"`
	// BytesPerGet are the bytes read from files: in the window, or in the steady state if
	// only that is predicted. Absent if the size of blocks in files is unknown.
	BytesPerGet *float64                      `json:"bytes_per_get,omitempty"`
	Components  map[string]PredictedComponent `json:"components"`
	// OpenTables is how many tables the library keeps open at most, if the tree has more. The reads that open
	// tables again are then not predicted. Absent otherwise.
	OpenTables int64 `json:"open_tables,omitempty"`
	// ReadsByCause divides the I/Os per Get of the window; only by the twin.
	ReadsByCause *Causes  `json:"reads_by_cause,omitempty"`
	Warnings     []string `json:"warnings,omitempty"`
}

// PredictedCache is the cache that was simulated.
type PredictedCache struct {
	Bytes         int64  `json:"bytes"`
	ReservedBytes int64  `json:"reserved_bytes"` // of Bytes, that blocks cannot use
	Phase         int    `json:"phase"`
	Policy        string `json:"policy,omitempty"`
	Shards        int    `json:"shards,omitempty"`
	SampledShards int    `json:"sampled_shards,omitempty"` // simulated
}

// Simulated is what was simulated of a workload.
type Simulated struct {
	Kind string `json:"kind"` // uniform | zipf | hotset | trace
	popularity.Popularity
	HitFraction float64 `json:"hit_fraction"`
	Seed        uint64  `json:"seed,omitempty"`
	WarmupGets  int64   `json:"warmup_gets,omitempty"`
	Gets        int64   `json:"gets,omitempty"`
	KeysFile    string  `json:"keys_file,omitempty"`   // the keys came from it
	KeysSHA256  string  `json:"keys_sha256,omitempty"` // of that file
	Trace       string  `json:"trace,omitempty"`       // the operations came from it
	TraceSHA256 string  `json:"trace_sha256,omitempty"`
	// Sample: the trace has one of so many neighbourhoods of keys, and Gets and WarmupGets count its
	// own. Absent if it has all keys.
	Sample int64 `json:"sample,omitempty"`
}

// PredictedIOs are the I/Os per Get.
type PredictedIOs struct {
	Window *float64 `json:"window,omitempty"` // of the Gets after the warm-up
	// CI95 is the 95% interval of what such Gets cost; only of a replay of random Gets.
	CI95   *[2]float64 `json:"ci95,omitempty"`
	Steady *float64    `json:"steady,omitempty"` // once the run is steady
	// Error is the standard error of Window from simulating only some of the shards, or from a trace
	// that is a sample. Absent if all were simulated. For LevelDB, it is the standard deviation
	// of Window between runs of the same Gets, for a small cache of Pebble between placements of
	// index blocks in its shards, and for several shards of RocksDB between placements of all blocks; absent below 1%.
	Error *float64 `json:"error,omitempty"`
	// InLog is the share by which the figures may be too high, at most, since some Gets find their key in the write-ahead
	// log. Absent if no record is there.
	InLog float64 `json:"in_log,omitempty"`
	// Windows cover the run from its first Get, warm-up included, until it was steady. Absent
	// if that was not asked for.
	Windows []PredictedWindow `json:"windows,omitempty"`
	// Measured is the cost of the same Gets with the library's own cache.
	Measured *float64 `json:"measured,omitempty"`
}

// PredictedWindow is a number of consecutive Gets.
type PredictedWindow struct {
	Gets      int64   `json:"gets"`
	IOsPerGet float64 `json:"ios_per_get"`
}

// PredictedComponent is one component's blocks per Get.
type PredictedComponent struct {
	Accesses float64  `json:"accesses"`
	Misses   float64  `json:"misses"`
	HitRate  *float64 `json:"hit_rate,omitempty"` // absent without accesses
}

// Causes divide the reads per Get by what would have avoided them.
type Causes struct {
	Compulsory float64 `json:"compulsory"` // the block's first access
	Capacity   float64 `json:"capacity"`   // a larger cache
	Policy     float64 `json:"policy"`     // a better choice of what to hold
}

// NewPredictedComponent returns a component with its hit rate.
func NewPredictedComponent(accesses, misses float64) PredictedComponent {
	c := PredictedComponent{Accesses: accesses, Misses: misses}
	if accesses > 0 {
		rate := 1 - misses/accesses
		c.HitRate = &rate
	}
	return c
}
