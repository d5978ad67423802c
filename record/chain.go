package record

import (
	"time"

	"getio/tree/lsm"
	"getio/tree/readpath"
)

// ChainSchema marks a Chain record.
const ChainSchema = "getio.chain/1"

// Chain is one measurement of a client's operation on a chaindata directory, with
// one cache: from the operation over the keys that it gets to what was read of files.
type Chain struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`
	Engine Engine    `json:"engine"`
	Path   string    `json:"path"`
	// Live: a copy was read of a store that another process had open.
	Live  bool       `json:"live,omitempty"`
	Shape *lsm.Shape `json:"shape"`
	Head  uint64     `json:"head"` // number of the newest block
	// WALKeys are keys that only the write-ahead log holds; reading them costs no I/O.
	WALKeys   int64          `json:"wal_keys,omitempty"`
	State     *ChainState    `json:"state,omitempty"`
	Operation string         `json:"operation"`
	Cache     Cache          `json:"cache"`
	Workload  ChainWorkload  `json:"workload"`
	PerOp     ChainOperation `json:"per_operation"`
	// Categories are the keys that were got, by category of geth's schema.
	Categories map[string]ChainGets `json:"categories"`
	Components map[string]Component `json:"components"`
	// Reads are of table files, per operation.
	Reads       IOsPerGet       `json:"reads_per_operation"`
	Device      Device          `json:"device"`
	Checks      readpath.Checks `json:"checks"`
	Warnings    []string        `json:"warnings,omitempty"`
	Environment Environment     `json:"environment"`
}

// OperationName is the operation with what it was read from.
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

// ChainWorkload says which operations were made, one after another.
type ChainWorkload struct {
	Distribution     string  `json:"distribution"` // uniform | zipf
	Zipf             float64 `json:"zipf,omitempty"`
	Seed             uint64  `json:"seed"`
	WarmupOperations int64   `json:"warmup_operations"`
	Operations       int64   `json:"operations"`
}

// ChainOperation is what one operation costs in the mean.
type ChainOperation struct {
	KVGets float64 `json:"kv_gets"`
	Tables float64 `json:"tables"` // consulted for these
	Blocks float64 `json:"blocks"` // asked for of these tables, whether cached or not
	Misses float64 `json:"misses"` // of these blocks
	// HitRate is absent if no block was asked for.
	HitRate   *float64 `json:"hit_rate,omitempty"`
	BytesRead float64  `json:"bytes_read"` // of table files
	// FreezerItems are of files that no block cache serves, and FreezerReads of these.
	FreezerItems float64 `json:"freezer_items"`
	FreezerReads float64 `json:"freezer_reads"`
	FreezerBytes float64 `json:"freezer_bytes"` // decompressed
	Microseconds float64 `json:"us"`
}

// ChainGets are an operation's Gets of keys of one category, in the mean.
type ChainGets struct {
	Gets       float64 `json:"gets"`
	Found      float64 `json:"found"`
	ValueBytes float64 `json:"value_bytes"`
	Reads      float64 `json:"reads"` // of table files
	ReadBytes  float64 `json:"read_bytes"`
}
