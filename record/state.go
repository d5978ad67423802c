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
	Time    time.Time `json:"time"`    // end of the run, UTC
	Label   string    `json:"label"`   // side of the comparison
	Command []string  `json:"command"` // of the adapter
	// AdapterOptions are those that the adapter was given, NAME=VALUE each.
	AdapterOptions []string `json:"adapter_options,omitempty"`
	// Provenance is added to a record made with an adapter outside this repository by whoever passes it on; "report"
	// marks the store.
	Provenance *StateProvenance `json:"provenance,omitempty"`

	Store StateStore `json:"store"`

	Keys      uint64 `json:"keys"`       // that were loaded
	KeySize   int    `json:"key_size"`   // of each key
	Keyspace  string `json:"keyspace"`   // as in [Dataset]
	Values    string `json:"values"`     // kind
	ValueSize int    `json:"value_size"` // of each value
	Seed      uint64 `json:"seed"`       // of keys and values

	Load      StateLoad `json:"load"`
	DiskBytes int64     `json:"disk_bytes"` // of the store's files, without holes
	// AnonymousBytes is the adapter's memory that belongs to no file, after lookups with the smallest caches and a
	// "quiesce", which returns unused memory (not up to version 3); only counted outside.
	AnonymousBytes int64 `json:"anonymous_bytes,omitempty"`

	Counted string `json:"counted"` // "outside": by the device and the control group; "inside": by the engine
	Lookups int    `json:"lookups"` // of each kind
	// OpeningLookups are lookups that open the store's files before others are counted; without them, older records left some tables of
	// large stores closed.
	OpeningLookups int        `json:"opening_lookups,omitempty"`
	Rows           []StateRow `json:"rows"`
	// Worn is the store after more and more of its keys got other values (--overwrite).
	Worn []StateWorn `json:"worn,omitempty"`

	// Checks: "group" and "trace" have the device's bytes, "own" its reads and bytes within 1% (the device has
	// more where the kernel splits reads of over 512 KiB). Without root, only "values": each lookup returned what was
	// loaded.
	Checks readpath.Checks `json:"checks"`
	// Seconds is the time in all, with the store's disk, and attempts on disks that proved too small.
	Seconds     float64     `json:"seconds,omitempty"`
	Environment Environment `json:"environment"`
	// Cell is only in runs that "getio run" made.
	Cell *PlannedCell `json:"cell,omitempty"`
}

// StateProvenance says where a record comes from that was made with an adapter outside getio's
// repository.
type StateProvenance struct {
	// Adapter is what connected the store, and where it is kept.
	Adapter string `json:"adapter"`
	// ValueFormat is how the store encodes values; absent where it takes them as they are.
	ValueFormat string `json:"value_format,omitempty"`
	ValueBytes  int    `json:"value_bytes,omitempty"` // size of the values that these stand for
}

// MarkedLabel is the label, marked if the store was measured with an adapter outside getio's repository.
func (s *State) MarkedLabel() string {
	if s.Provenance != nil {
		return s.Label + " †"
	}
	return s.Label
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
	// Name and the following are as the adapter reports them.
	Name          string            `json:"name"`
	Version       string            `json:"version"`
	Patches       []string          `json:"patches,omitempty"`
	Configuration string            `json:"configuration"`
	KeyHash       string            `json:"key_hash,omitempty"` // that the store applies to keys
	Options       map[string]string `json:"options,omitempty"`  // in effect during lookups
	Caches        []StateCache      `json:"caches,omitempty"`   // in the adapter's memory
	Stats         []StateStat       `json:"stats,omitempty"`    // after all lookups; "memory_PART" in "bytes" is a part of its memory
}

// StateCache is a cache in the adapter's memory: its least size, and whether it stays filled
// even when caches are dropped.
type StateCache struct {
	Name  string `json:"name"`
	Least uint64 `json:"least_bytes"`     // size with a budget of 0
	Stays bool   `json:"stays,omitempty"` // filled, even when caches are dropped
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
	Seconds    float64 `json:"seconds"`     // until the store had settled
	CPUSeconds float64 `json:"cpu_seconds"` // of the adapter, including its start and end
	CommitKeys int     `json:"commit_keys"` // keys per commit
	// SettleKeys is the number of keys between two times that the store settled.
	SettleKeys int   `json:"rest_keys"`
	CacheBytes int64 `json:"cache_bytes"` // budget of caches while loading
	// WrittenBytes is what the store's disk wrote, until everything was on it; only counted outside.
	WrittenBytes int64 `json:"written_bytes,omitempty"`
}

// StateWorn is a store some of whose keys got other values since the load, in random order.
type StateWorn struct {
	Share          float64    `json:"share"`                     // of the keys that got another value since the load, each once, in random order
	Load           StateLoad  `json:"load"`                      // the overwriting since the share before
	DiskBytes      int64      `json:"disk_bytes"`                // after it
	AnonymousBytes int64      `json:"anonymous_bytes,omitempty"` // after it
	Rows           []StateRow `json:"rows"`                      // without budgets
}

// StateRow is the reads of lookups of one kind.
type StateRow struct {
	Kind string     `json:"kind"` // "existing", "absent" or "existing_with_proof"
	Cold StateReads `json:"cold"` // with an empty page cache
	// OwnReads is the engine's own count for the same lookups.
	OwnReads   *float64      `json:"own_reads,omitempty"`
	ProofBytes float64       `json:"proof_bytes,omitempty"` // mean
	Budgets    []StateBudget `json:"budgets,omitempty"`     // for the store's own memory and page cache together
}

// StateReads is the mean reads of one lookup.
type StateReads struct {
	Lookups int     `json:"lookups"` // that were counted
	Reads   float64 `json:"reads"`   // of one lookup, in the mean
	// CI95 is the interval of the reads, by Student's t over the lookups; absent with fewer than two, and where single
	// lookups were not counted. In version 1, it is half the width, one number of 1.96 standard errors.
	CI95  *[2]float64 `json:"ci95,omitempty"`
	Bytes float64     `json:"bytes"` // of one lookup, in the mean
	// MetaReads are the part of the reads that read metadata of the file system.
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
	Bytes int64   `json:"bytes"` // the same in bytes
	// MemoryBytes is the part that the store's memory takes: its anonymous bytes, and the smallest caches that were
	// dropped when these were counted. In versions 1 and 2, budgets are of the page cache and the smallest caches.
	MemoryBytes *int64 `json:"memory_bytes,omitempty"`
	Warmup      int    `json:"warmup_lookups,omitempty"` // before the counted ones
	// LRU is with a simulated LRU of the pages that lookups read cold; absent if the store's memory is more than the
	// budget.
	LRU *StateReads `json:"lru,omitempty"`
	// Kernel is with the kernel's own page cache, limited to the budget; not where reads bypass it, own caches must be
	// dropped, or less than 8 MiB of page cache are left.
	Kernel *StateReads `json:"kernel,omitempty"`
	// Linux is with a simulation of Linux's page cache of files mapped for random (Linux 6.3 and later) or sequential
	// access, which ignores accesses. It and the LRU then have as many lookups as the kernel's.
	Linux *StateReads `json:"linux,omitempty"`
	// ActiveBytes are bytes of other files, such as programs, in the kernel's active list at the beginning, as in
	// the simulation.
	ActiveBytes *int64 `json:"active_bytes,omitempty"`
	// MachineReclaimed is what the kernel evicted meanwhile from any process's files because the machine lacked
	// memory. Unless 0, the kernel's figure may be off.
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
	// The smallest caches are part of the budget. Those that cannot be dropped were filled when the memory was
	// counted, and are part of it too.
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
