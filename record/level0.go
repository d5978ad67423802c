package record

import (
	"slices"
	"time"

	"getio/engine/readpath"
)

// Level0 is the cost of operations by the number of L0 tables, with one cache.
type Level0 struct {
	Schema  string    `json:"schema"`
	Time    time.Time `json:"time"`    // end of the run, UTC
	Engine  Engine    `json:"engine"`  // with geth's preset
	Path    string    `json:"path"`    // directory of the chain
	Filters bool      `json:"filters"` // whether Gets consulted filters
	Cache   Cache     `json:"cache"`
	// Rows are by the number of tables, ascending.
	Rows []*Level0Row `json:"rows"`
	// Cliff is the least number of tables at which more than half of the accesses to their indexes are misses.
	Cliff       Level0Cliff      `json:"cliff"`
	Workload    Level0Operations `json:"workload"`
	Environment Environment      `json:"environment"`
}

// Hold reports whether all self-checks of all rows held.
func (r *Level0) Hold() bool {
	return !slices.ContainsFunc(r.Rows, func(row *Level0Row) bool { return !row.Checks.Hold() })
}

// Level0Operations is the operations that each row makes.
type Level0Operations struct {
	Seed             uint64 `json:"seed"`              // of the targets
	WarmupOperations int64  `json:"warmup_operations"` // of each kind, from an empty cache
	Operations       int64  `json:"operations"`        // of each kind, measured
}

// Level0Row is the cost with one number of L0 tables.
type Level0Row struct {
	Tables      int64 `json:"tables"`       // of L0
	Sublevels   int64 `json:"sublevels"`    // of L0
	IndexBytes  int64 `json:"index_bytes"`  // of these tables, as the cache charges them
	FilterBytes int64 `json:"filter_bytes"` // the same; 0 if Gets consult none
	// Operations are "getBlockByHash old" and "getTx old" (below L0), "getBlockByHash recent" and "getTx recent" (in
	// L0; absent without a table of recent blocks), and "get" (any key).
	Operations map[string]Level0Operation `json:"operations"`
	Checks     readpath.Checks            `json:"checks"` // of each operation
}

// Level0Operation is the mean cost of an operation.
type Level0Operation struct {
	KVGets    float64   `json:"kv_gets"`             // per operation
	Reads     IOsPerGet `json:"reads_per_operation"` // of table files
	BytesRead float64   `json:"bytes_read"`          // per operation
}

// Names of the operations, and all of them in the order of tables.
const (
	L0OldBlock    = "getBlockByHash old"
	L0RecentBlock = "getBlockByHash recent"
	L0OldTx       = "getTx old"
	L0RecentTx    = "getTx recent"
	L0Get         = "get"
)

var L0Names = []string{L0OldBlock, L0RecentBlock, L0OldTx, L0RecentTx, L0Get}

// Level0Cliff is the least number of tables at which more than half of the accesses of their
// indexes are misses: L0 no longer fits the cache.
type Level0Cliff struct {
	// Predicted is from a simulated cache and Gets traced without one; absent if it is unknown.
	Predicted int64 `json:"predicted_tables,omitempty"`
	// MostPredicted is the largest number searched: as many tables as the library can hold.
	MostPredicted int64 `json:"most_predicted_tables"`
	// Measured is with the library's own cache.
	Measured int64 `json:"measured_tables,omitempty"`
	Most     int64 `json:"most_tables"` // largest measured number
}
