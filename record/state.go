package record

import (
	"encoding/json"
	"time"

	"getio/tree/readpath"
)

// Where reads were counted.
const (
	CountedOutside = "outside" // by the device and the control group of the process
	CountedInside  = "inside"  // by the engine at its files
)

// Kinds of lookups.
const (
	LookupsOfExisting = "existing"
	LookupsOfAbsent   = "absent"
	LookupsWithProof  = "existing_with_proof"
)

// State measures lookups in one state database, which is loaded for it and removed.
type State struct {
	Schema  string    `json:"schema"`
	Time    time.Time `json:"time"`
	Label   string    `json:"label"`
	Command []string  `json:"command"`

	Store StateStore `json:"store"`

	Keys      uint64 `json:"keys"`
	KeySize   int    `json:"key_size"`
	Keyspace  string `json:"keyspace"`
	Values    string `json:"values"`
	ValueSize int    `json:"value_size"`
	Seed      uint64 `json:"seed"`

	Load      StateLoad `json:"load"`
	DiskBytes int64     `json:"disk_bytes"`
	// AnonymousBytes is the memory of the adapter that belongs to no file, after lookups.
	AnonymousBytes int64 `json:"anonymous_bytes,omitempty"`

	Counted string     `json:"counted"`
	Lookups int        `json:"lookups"`
	Rows    []StateRow `json:"rows"`

	Checks      readpath.Checks `json:"checks"`
	Environment Environment     `json:"environment"`
}

// StateStore is what an adapter reports about its store.
type StateStore struct {
	Name          string            `json:"name"`
	Version       string            `json:"version"`
	Patches       []string          `json:"patches,omitempty"`
	Configuration string            `json:"configuration"`
	KeyHash       string            `json:"key_hash,omitempty"`
	Options       map[string]string `json:"options,omitempty"`
	Caches        []StateCache      `json:"caches,omitempty"`
	Stats         []StateStat       `json:"stats,omitempty"`
}

// StateCache is a cache in the adapter's memory: its least size, and whether it stays filled
// even when caches are dropped.
type StateCache struct {
	Name  string `json:"name"`
	Least uint64 `json:"least_bytes"`
	Stays bool   `json:"stays,omitempty"`
}

// StateStat is a statistic of a store.
type StateStat struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// StateLoad is how the store was loaded.
type StateLoad struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	CommitKeys int     `json:"commit_keys"`
	// SettleKeys is the number of keys between two times that the store settled.
	SettleKeys int   `json:"rest_keys"`
	CacheBytes int64 `json:"cache_bytes"`
}

// StateRow is the reads of lookups of one kind.
type StateRow struct {
	Kind string     `json:"kind"`
	Cold StateReads `json:"cold"`
	// OwnReads is the engine's own count for the same lookups.
	OwnReads   *float64      `json:"own_reads,omitempty"`
	ProofBytes float64       `json:"proof_bytes,omitempty"`
	Budgets    []StateBudget `json:"budgets,omitempty"`
}

// StateReads is the mean reads of one lookup.
type StateReads struct {
	Lookups int     `json:"lookups"`
	Reads   float64 `json:"reads"`
	// CI95 is the interval of Reads, by Student's t over the lookups; absent with fewer
	// than two, and where single lookups were not counted.
	CI95  *[2]float64 `json:"ci95,omitempty"`
	Bytes float64     `json:"bytes"`
	// MetaReads are the part of Reads that read metadata of the file system.
	MetaReads float64 `json:"meta_reads,omitempty"`
	// Cached is the share of the bytes that went through the page cache.
	Cached float64 `json:"cached,omitempty"`
}

// UnmarshalJSON also takes the half-width of version 1 and makes it an interval.
func (r *StateReads) UnmarshalJSON(data []byte) error {
	type fields StateReads
	v := struct {
		*fields
		CI95 json.RawMessage `json:"ci95"`
	}{fields: (*fields)(r)}
	if err := json.Unmarshal(data, &v); err != nil || v.CI95 == nil {
		return err
	}
	var half float64
	if json.Unmarshal(v.CI95, &half) == nil {
		r.CI95 = &[2]float64{max(0, r.Reads-half), r.Reads + half}
		return nil
	}
	return json.Unmarshal(v.CI95, &r.CI95)
}

// StateBudget is the reads of lookups with a page cache of a given size.
type StateBudget struct {
	Share  float64     `json:"share"` // of the store's bytes
	Bytes  int64       `json:"bytes"`
	Warmup int         `json:"warmup_lookups"`
	Reads  StateReads  `json:"lru"`
	Kernel *StateReads `json:"kernel,omitempty"`
}

// Row returns the row of a kind of lookups, or nil.
func (s *State) Row(kind string) *StateRow {
	for i := range s.Rows {
		if s.Rows[i].Kind == kind {
			return &s.Rows[i]
		}
	}
	return nil
}
