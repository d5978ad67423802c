package record

import (
	"time"

	"getio/dataset/popularity"
	"getio/tree/lsm"
)

// PredictionSchema marks a prediction.
const PredictionSchema = "getio.prediction/1"

// Prediction is what Gets are expected to read with one cache in a tree of one
// shape.
type Prediction struct {
	Schema   string            `json:"schema"`
	Time     time.Time         `json:"time"`
	Source   string            `json:"of"`      // whose shape it is
	Library  string            `json:"library"` // whose reads are predicted
	Shape    *lsm.Shape        `json:"shape"`
	Cache    PredictedCache    `json:"cache"`
	Workload PredictedWorkload `json:"workload"`
	// Method is twin, a simulation of Gets and cache; analytic, which works out the
	// steady state with the best choice of blocks; or replay, a simulation of the
	// cache alone, for the Gets of a database.
	Method    string       `json:"method"`
	IOsPerGet PredictedIOs `json:"ios_per_get"`
	// GetsToSteady is after how many Gets, the warm-up included, the run has come
	// to rest. Absent if it did not, or if that was not looked for.
	GetsToSteady *int64 `json:"gets_to_steady,omitempty"`
	// BytesPerGet is read from the files: in the window, or in the steady state if
	// that alone is predicted. Absent if it is not known how large blocks are there.
	BytesPerGet *float64                      `json:"bytes_per_get,omitempty"`
	Components  map[string]PredictedComponent `json:"components"`
	// ReadsByCause divides the window's I/Os per Get; only of the twin.
	ReadsByCause *Causes `json:"reads_by_cause,omitempty"`
}

// PredictedCache is the cache that was simulated.
type PredictedCache struct {
	Bytes         int64  `json:"bytes"`
	ReservedBytes int64  `json:"reserved_bytes"` // of Bytes, that blocks cannot use
	Phase         int    `json:"phase"`
	Policy        string `json:"policy,omitempty"`
	Shards        int    `json:"shards,omitempty"`
	SampledShards int    `json:"sampled_shards,omitempty"` // that were simulated
}

// PredictedWorkload says which Gets were simulated.
type PredictedWorkload struct {
	Kind string `json:"kind"` // uniform | zipf | hotset
	popularity.Popularity
	HitFraction float64 `json:"hit_fraction"`
	Seed        uint64  `json:"seed,omitempty"`
	WarmupGets  int64   `json:"warmup_gets,omitempty"`
	Gets        int64   `json:"gets,omitempty"`
	KeysFile    string  `json:"keys_file,omitempty"`   // that the keys came from
	KeysSHA256  string  `json:"keys_sha256,omitempty"` // of that file
}

// PredictedIOs are the I/Os per Get.
type PredictedIOs struct {
	Window *float64 `json:"window,omitempty"` // of the Gets behind the warm-up
	Steady *float64 `json:"steady,omitempty"` // when the run has come to rest
	// Error is the standard error of Window that comes from simulating a sample
	// of the shards. Absent if all were.
	Error *float64 `json:"error,omitempty"`
	// Windows are the run's Gets from the first one on, the warm-up included, until
	// it came to rest. Absent if that was not looked for.
	Windows []PredictedWindow `json:"windows,omitempty"`
	// Measured is what the same Gets read in the library's own cache.
	Measured *float64 `json:"measured,omitempty"`
}

// PredictedWindow is a stretch of a run.
type PredictedWindow struct {
	Gets      int64   `json:"gets"`
	IOsPerGet float64 `json:"ios_per_get"`
}

// PredictedComponent is one component's share, in blocks per Get.
type PredictedComponent struct {
	Accesses float64  `json:"accesses"`
	Misses   float64  `json:"misses"`
	HitRate  *float64 `json:"hit_rate,omitempty"` // absent without accesses
}

// Causes are the reads per Get by what would have avoided them.
type Causes struct {
	Compulsory float64 `json:"compulsory"` // the block's first access
	Capacity   float64 `json:"capacity"`   // a larger cache
	Policy     float64 `json:"policy"`     // a better choice of what to hold
}

// NewPredictedComponent states accesses and misses per Get, and their hit rate.
func NewPredictedComponent(accesses, misses float64) PredictedComponent {
	c := PredictedComponent{Accesses: accesses, Misses: misses}
	if accesses > 0 {
		rate := 1 - misses/accesses
		c.HitRate = &rate
	}
	return c
}
