package record

import (
	"slices"
	"time"

	"getio/engine/readpath"
)

// Level0 is the cost of operations by the number of L0 tables, with one cache.
type Level0 struct {
	Schema  string    `json:"schema"`
	Time    time.Time `json:"time"`
	Engine  Engine    `json:"engine"`
	Path    string    `json:"path"`
	Filters bool      `json:"filters"` // whether Gets consult the filters of the tables
	Cache   Cache     `json:"cache"`
	// Rows are by the number of tables, ascending.
	Rows        []*Level0Row     `json:"rows"`
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
	Seed             uint64 `json:"seed"`
	WarmupOperations int64  `json:"warmup_operations"`
	Operations       int64  `json:"operations"`
}

// Level0Row is the cost with one number of L0 tables.
type Level0Row struct {
	Tables      int64 `json:"tables"`
	Sublevels   int64 `json:"sublevels"`
	IndexBytes  int64 `json:"index_bytes"` // of these tables, as the cache charges them
	FilterBytes int64 `json:"filter_bytes"`
	// Operations are by name: see L0Names. Old blocks lie below L0, recent ones in it, and
	// get asks for any key.
	Operations map[string]Level0Operation `json:"operations"`
	Checks     readpath.Checks            `json:"checks"`
}

// Level0Operation is the mean cost of an operation.
type Level0Operation struct {
	KVGets    float64   `json:"kv_gets"`
	Reads     IOsPerGet `json:"reads_per_operation"` // of table files
	BytesRead float64   `json:"bytes_read"`
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
	// Predicted is from a simulation of the cache. Absent if there is no such number up to
	// MostPredicted.
	Predicted     int64 `json:"predicted_tables,omitempty"`
	MostPredicted int64 `json:"most_predicted_tables"`
	// Measured is absent if there is no such number up to Most, the largest row.
	Measured int64 `json:"measured_tables,omitempty"`
	Most     int64 `json:"most_tables"`
}
