package record

import (
	"time"

	"getio/engine/lsm"
	"getio/engine/readpath"
)

// Chain measures one operation of a client on a chaindata directory with one cache: the
// operation, the keys that it gets, and the reads of files.
type Chain struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`
	Engine Engine    `json:"engine"`
	Path   string    `json:"path"`
	// Live: the files were copied while another process had the store open.
	Live  bool       `json:"live,omitempty"`
	Shape *lsm.Shape `json:"shape"`
	Head  uint64     `json:"head"` // number of the newest block
	// WALKeys are records that only the write-ahead log holds; they cost no I/O.
	WALKeys   int64           `json:"wal_keys,omitempty"`
	State     *ChainState     `json:"state,omitempty"`
	Operation string          `json:"operation"`
	Cache     Cache           `json:"cache"`
	Workload  ChainOperations `json:"workload"`
	PerOp     ChainOperation  `json:"per_operation"`
	// Categories are the Gets by category of geth's schema.
	Categories map[string]ChainGets `json:"categories"`
	Components map[string]Component `json:"components"`
	// Reads are of table files, per operation.
	Reads       IOsPerGet       `json:"reads_per_operation"`
	Device      Device          `json:"device"`
	Checks      readpath.Checks `json:"checks"`
	Warnings    []string        `json:"warnings,omitempty"`
	Environment Environment     `json:"environment"`
}

// OperationName returns the operation and whether it read the trie or flat state.
func (r *Chain) OperationName() string {
	if r.State == nil {
		return r.Operation
	}
	return r.Operation + " " + r.State.Read
}

// ChainState is the state that operations on accounts read.
type ChainState struct {
	Scheme string `json:"scheme"` // hash | path
	Root   string `json:"root"`
	Read   string `json:"read"` // trie | flat
}

// ChainOperations is the operations, which are made one after another.
type ChainOperations struct {
	Distribution     string  `json:"distribution"` // uniform | zipf
	Zipf             float64 `json:"zipf,omitempty"`
	Seed             uint64  `json:"seed"`
	WarmupOperations int64   `json:"warmup_operations"`
	Operations       int64   `json:"operations"`
}

// ChainOperation is the mean cost of one operation.
type ChainOperation struct {
	KVGets float64 `json:"kv_gets"`
	Tables float64 `json:"tables"` // consulted by the Gets
	Blocks float64 `json:"blocks"` // accessed in these tables
	Misses float64 `json:"misses"` // of these accesses
	// HitRate is absent if no block was accessed.
	HitRate   *float64 `json:"hit_rate,omitempty"`
	BytesRead float64  `json:"bytes_read"` // of table files
	// FreezerItems and FreezerReads are of the freezer's files, which have no block cache.
	FreezerItems float64 `json:"freezer_items"`
	FreezerReads float64 `json:"freezer_reads"`
	FreezerBytes float64 `json:"freezer_bytes"` // decompressed
	Microseconds float64 `json:"us"`
}

// ChainGets are the mean Gets of one category that an operation makes.
type ChainGets struct {
	Gets       float64 `json:"gets"`
	Found      float64 `json:"found"`
	ValueBytes float64 `json:"value_bytes"`
	Reads      float64 `json:"reads"` // of table files
	ReadBytes  float64 `json:"read_bytes"`
}
