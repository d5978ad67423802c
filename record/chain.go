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
	Time   time.Time `json:"time"` // end of the run, UTC
	Engine Engine    `json:"engine"`
	Path   string    `json:"path"` // directory
	// Live means that the files were copied while another process had the store open.
	Live  bool       `json:"live,omitempty"`
	Shape *lsm.Shape `json:"shape"` // without the list of tables
	Head  uint64     `json:"head"`  // number of the newest block
	// WALKeys are records that only the write-ahead log holds. They cost no I/O.
	WALKeys   int64           `json:"wal_keys,omitempty"`
	State     *ChainState     `json:"state,omitempty"` // absent for operations on blocks and transactions
	Operation string          `json:"operation"`       // "getBlockByHash", "getBlockByNumber", "getTx", "getReceipts", "getBalance" or "getStorageAt"
	Cache     Cache           `json:"cache"`
	Workload  ChainOperations `json:"workload"`
	PerOp     ChainOperation  `json:"per_operation"`
	// Categories of geth's schema: Gets of their keys, per operation.
	Categories map[string]ChainGets `json:"categories"`
	Components map[string]Component `json:"components"`
	// Reads are of table files, per operation. Whether they are steady is judged by the reads per Get.
	Reads  IOsPerGet `json:"reads_per_operation"`
	Device Device    `json:"device"`
	// Checks include "reads_of_categories": the reads attributed to single Gets are all that reached the files.
	Checks      readpath.Checks `json:"checks"`
	Warnings    []string        `json:"warnings,omitempty"` // what a reader should know
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
	Scheme string `json:"scheme"` // "hash" or "path"
	Root   string `json:"root"`   // of the newest state whose tries are complete
	Read   string `json:"read"`   // "trie": accounts and slots were read down the tries; "flat": by key
}

// ChainOperations is the operations, which are made one after another.
type ChainOperations struct {
	Distribution     string  `json:"distribution"`      // "uniform" or "zipf"
	Zipf             float64 `json:"zipf,omitempty"`    // exponent
	Seed             uint64  `json:"seed"`              // of the targets
	WarmupOperations int64   `json:"warmup_operations"` // from an empty cache; by default, until it was filled, and as many again
	Operations       int64   `json:"operations"`        // measured, one after another
}

// ChainOperation is the mean cost of one operation.
type ChainOperation struct {
	KVGets float64 `json:"kv_gets"` // Gets of the key-value store, without the client's own caches
	Tables float64 `json:"tables"`  // consulted by the Gets
	Blocks float64 `json:"blocks"`  // accesses to their filters, top indexes, indexes and data
	Misses float64 `json:"misses"`  // of these accesses
	// HitRate is that of the block cache.
	HitRate      *float64 `json:"hit_rate,omitempty"`
	BytesRead    float64  `json:"bytes_read"`    // of table files
	FreezerItems float64  `json:"freezer_items"` // from the freezer
	FreezerReads float64  `json:"freezer_reads"` // of its files, which have no block cache
	FreezerBytes float64  `json:"freezer_bytes"` // of the items, decompressed
	Microseconds float64  `json:"us"`            // wall time in microseconds, including go-ethereum's decoding
}

// ChainGets are the mean Gets of one category that an operation makes.
type ChainGets struct {
	Gets       float64 `json:"gets"`        // of the category
	Found      float64 `json:"found"`       // Gets that found a key
	ValueBytes float64 `json:"value_bytes"` // of the values found
	Reads      float64 `json:"reads"`       // of table files
	ReadBytes  float64 `json:"read_bytes"`  // of these reads
}

// ChainMade describes a chain that getio made. It is chain.json in its directory.
type ChainMade struct {
	Schema  string    `json:"schema"`
	Plan    ChainPlan `json:"plan"`
	Engine  string    `json:"engine"`  // of the key-value store
	Created time.Time `json:"created"` // start, UTC
	Seconds float64   `json:"seconds"` // wall time in all
	Bytes   int64     `json:"bytes"`   // of the files of store and freezer
	Root    string    `json:"root"`    // of the newest state
	Head    string    `json:"head"`    // hash of the newest block
	State   Cost      `json:"state"`   // accounts, made in bulk
	Chain   Cost      `json:"chain"`   // blocks, including commits of the state
}

// ChainPlan says what chain to make.
type ChainPlan struct {
	Accounts  uint64  `json:"accounts"`  // beside allocated ones
	Contracts float64 `json:"contracts"` // share of the accounts that have code and storage
	Slots     float64 `json:"slots"`     // mean per contract
	Blocks    uint64  `json:"blocks"`    // after genesis
	Txs       uint64  `json:"txs"`       // per block
	// Frozen is the number of oldest blocks in the freezer, genesis included.
	Frozen uint64 `json:"frozen"`
	// Aged is the number of newest blocks that changed the state, with one commit each.
	Aged   uint64 `json:"aged"`
	Scheme string `json:"scheme"` // "hash" or "path"
	Flat   bool   `json:"flat"`   // with the flat state
	// Archive means that the tries after every block were kept.
	Archive bool   `json:"archive"`
	Seed    uint64 `json:"seed"` // of accounts, blocks and transactions
	// Allocated is the number of accounts from a genesis file, beside the others.
	Allocated uint64 `json:"allocated,omitempty"`
}

// AllAccounts returns the number of accounts, with those that genesis allocates.
func (p ChainPlan) AllAccounts() uint64 { return p.Accounts + p.Allocated }

// Cost is the time that it took to make a number of things.
type Cost struct {
	Things     uint64  `json:"things"`      // how many were made
	Seconds    float64 `json:"seconds"`     // wall time
	CPUSeconds float64 `json:"cpu_seconds"` // of the whole process
}
