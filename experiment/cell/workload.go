package cell

import (
	"context"
	"fmt"

	"getio/engine"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/workload/popularity"
	"getio/workload/trace"
)

// Workload is the Gets of a cell, or other operations, and what is recorded of them.
type Workload struct {
	Seed   uint64  `json:"seed"` // of a comparison, that of the first round
	Absent float64 `json:"absent,omitempty"`
	popularity.Popularity
	KeysFile    string `json:"keys_file,omitempty"`
	KeysSHA256  string `json:"keys_sha256,omitempty"`
	Trace       string `json:"trace,omitempty"`
	TraceSHA256 string `json:"trace_sha256,omitempty"`

	Operation        string `json:"operation,omitempty"` // absent: Gets
	KeysPerOperation int    `json:"keys_per_operation,omitempty"`
	// Gets are measured; absent, as many as show whether the run is steady.
	Gets    int64          `json:"gets,omitempty"`
	Warmup  measure.Warmup `json:"warmup"`
	Workers int            `json:"workers"`

	ExactSplit   bool  `json:"exact_split,omitempty"`
	Distribution bool  `json:"distribution,omitempty"`
	Latency      bool  `json:"latency,omitempty"`
	Rate         int64 `json:"rate,omitempty"`
	MoreRuns     int   `json:"more_runs,omitempty"` // at most, until one is steady
}

// NewWorkload describes Gets.
func NewWorkload(o measure.Options, keys database.KeySource) Workload {
	w := Workload{
		Seed: keys.Seed, Absent: keys.Absent, Popularity: keys.Popularity,
		KeysFile: keys.KeysFile, KeysSHA256: keys.KeysSHA256(),
		Operation: o.Operation.Name(), KeysPerOperation: o.Operation.Records,
		Gets: o.Gets, Warmup: o.Warmup, Workers: o.Workers,
		ExactSplit: o.ExactSplit, Distribution: o.Distribution, Latency: o.Latency, Rate: o.Rate, MoreRuns: o.MoreRuns,
	}
	if t := keys.Trace; t != nil {
		w.Trace, w.TraceSHA256 = t.Path, t.SHA256
	}
	return w
}

// Options returns how the Gets are made.
func (w *Workload) Options() measure.Options {
	return measure.Options{
		Operation: measure.Operation{Kind: engine.Operation(w.Operation), Records: w.KeysPerOperation},
		Gets:      w.Gets, Warmup: w.Warmup, Workers: w.Workers,
		ExactSplit: w.ExactSplit, Distribution: w.Distribution, Latency: w.Latency, Rate: w.Rate, MoreRuns: w.MoreRuns,
	}
}

// Keys returns where the keys of the Gets come from. trace is the trace that is named, if one is.
func (w *Workload) Keys(trace *trace.File) database.KeySource {
	return database.KeySource{
		Random:   keysource.Random{Seed: w.Seed, Absent: w.Absent, Popularity: w.Popularity},
		KeysFile: w.KeysFile, Trace: trace,
	}
}

// OpenFiles reads the files that the keys come from, and refuses those that have changed since the plan
// was made.
func (w *Workload) OpenFiles(ctx context.Context) (t *trace.File, err error) {
	if w.KeysFile != "" {
		if sum := w.Keys(nil).KeysSHA256(); sum != w.KeysSHA256 {
			return nil, otherFile(w.KeysFile)
		}
	}
	if w.Trace == "" {
		return nil, nil
	}
	if t, err = trace.Check(ctx, w.Trace, nil); err != nil {
		return nil, err
	}
	if t.SHA256 != w.TraceSHA256 {
		return nil, otherFile(w.Trace)
	}
	return t, nil
}

func otherFile(path string) error {
	return fmt.Errorf("%s is missing here, or not the file that the plan was made with: copy that one to the same path", path)
}
