package record

import (
	"encoding/json"
	"strings"
	"time"

	"getio/engine/readpath"
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
	// AdapterOptions are those that the adapter was given, NAME=VALUE each.
	AdapterOptions []string `json:"adapter_options,omitempty"`
	// Provenance is set in records of stores that getio has no adapter for, by whoever passes
	// them on.
	Provenance *StateProvenance `json:"provenance,omitempty"`

	Store StateStore `json:"store"`

	Keys      uint64 `json:"keys"`
	KeySize   int    `json:"key_size"`
	Keyspace  string `json:"keyspace"`
	Values    string `json:"values"`
	ValueSize int    `json:"value_size"`
	Seed      uint64 `json:"seed"`

	Load      StateLoad `json:"load"`
	DiskBytes int64     `json:"disk_bytes"`
	// AnonymousBytes is the memory of the adapter that belongs to no file, after lookups; see
	// IncludesUnused.
	AnonymousBytes int64 `json:"anonymous_bytes,omitempty"`

	Counted string `json:"counted"`
	Lookups int    `json:"lookups"`
	// OpeningLookups is the number of lookups that opened the store's files before others were counted. Older
	// records lack it: they made as many as Lookups, which left some tables of large stores closed.
	OpeningLookups int        `json:"opening_lookups,omitempty"`
	Rows           []StateRow `json:"rows"`
	// Worn is the store after more and more of its keys got other values.
	Worn []StateWorn `json:"worn,omitempty"`

	Checks readpath.Checks `json:"checks"`
	// Seconds is the time that the measurement took in all, from making the store's disk to removing it; absent
	// in older records.
	Seconds     float64     `json:"seconds,omitempty"`
	Environment Environment `json:"environment"`
	// Cell is set in records of cells of plans.
	Cell *PlannedCell `json:"cell,omitempty"`
}

// StateProvenance says where a record comes from that was made with an adapter outside getio's
// repository.
type StateProvenance struct {
	// Adapter is what connected the store, and where it is kept.
	Adapter string `json:"adapter"`
	// ValueFormat is how the store encodes values, where it does not take them as they are, and
	// ValueBytes the size of those that they stand for.
	ValueFormat string `json:"value_format,omitempty"`
	ValueBytes  int    `json:"value_bytes,omitempty"`
}

// ComparedValueSize is the size of the values, in bytes, of the stores that this one can be
// compared with.
func (s *State) ComparedValueSize() int {
	if s.Provenance != nil && s.Provenance.ValueBytes > 0 {
		return s.Provenance.ValueBytes
	}
	return s.ValueSize
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

// MemoryParts are the parts of its memory that a store knows, in bytes: its stats with names like
// memory_index, which become index.
func (s *StateStore) MemoryParts() (parts []StateStat) {
	for _, stat := range s.Stats {
		if name, ok := strings.CutPrefix(stat.Name, "memory_"); ok && stat.Unit == "bytes" {
			parts = append(parts, StateStat{name, stat.Unit, stat.Value})
		}
	}
	return parts
}

// StateLoad is how the store was loaded.
type StateLoad struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	CommitKeys int     `json:"commit_keys"`
	// SettleKeys is the number of keys between two times that the store settled.
	SettleKeys int   `json:"rest_keys"`
	CacheBytes int64 `json:"cache_bytes"`
	// WrittenBytes is what the store's disk wrote, until all of it was on the disk.
	WrittenBytes int64 `json:"written_bytes,omitempty"`
}

// StateWorn is a store some of whose keys got other values since the load, in random order.
type StateWorn struct {
	Share          float64    `json:"share"` // of all keys, once each
	Load           StateLoad  `json:"load"`  // since the share before
	DiskBytes      int64      `json:"disk_bytes"`
	AnonymousBytes int64      `json:"anonymous_bytes,omitempty"`
	Rows           []StateRow `json:"rows"`
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

// StateBudget is the reads of lookups within a budget of memory.
type StateBudget struct {
	Share float64 `json:"share"` // of the store's bytes
	Bytes int64   `json:"bytes"`
	// MemoryBytes is the part of the budget that the store's own memory takes; the rest is page
	// cache. In versions 1 and 2 it is absent, and the budget is of the page cache and the
	// store's smallest caches.
	MemoryBytes *int64 `json:"memory_bytes,omitempty"`
	Warmup      int    `json:"warmup_lookups,omitempty"`
	// LRU is of a simulated page cache that evicts what was used least recently. It is absent if the
	// store's memory alone is more than the budget.
	LRU *StateReads `json:"lru,omitempty"`
	// Kernel is of the kernel's own page cache.
	Kernel *StateReads `json:"kernel,omitempty"`
	// Linux is of a simulated page cache of Linux that ignores accesses, as it does of files that are mapped
	// for random or sequential access, with ActiveBytes of other files active: what the
	// kernel's had when it began.
	Linux       *StateReads `json:"linux,omitempty"`
	ActiveBytes *int64      `json:"active_bytes,omitempty"`
	// MachineReclaimed is what the kernel evicted while Kernel was measured because the machine lacked memory, in
	// bytes. Then its figure may differ from the one on a machine with enough.
	MachineReclaimed *int64 `json:"machine_reclaimed_bytes,omitempty"`
}

// IncludesUnused reports whether AnonymousBytes includes memory that the process kept and did not use,
// such as garbage: records of older versions, which cannot be compared with others in this.
func (s *State) IncludesUnused() bool { return s.Schema != StateSchema }

// TotalBytes is the memory of a budget: the store's own and page cache.
func (s *State) TotalBytes(b StateBudget) int64 {
	if b.MemoryBytes != nil {
		return b.Bytes
	}
	// The smallest caches are part of the budget. Those that cannot be dropped were filled when
	// the memory was counted, and are part of it too.
	var twice int64
	for _, c := range s.Store.Caches {
		if c.Stays {
			twice += int64(c.Least)
		}
	}
	return max(b.Bytes, twice) - twice + s.AnonymousBytes
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
