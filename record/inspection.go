package record

import (
	"getio/engine/lsm"
	"getio/workload/dataset"
)

// Inspection describes a database: its format, shape and sizes.
type Inspection struct {
	Schema       string            `json:"schema"`
	Path         string            `json:"path"` // directory
	Engine       Engine            `json:"engine"`
	Format       int               `json:"format,omitempty"`  // major version; absent where the library has none
	Comparer     string            `json:"comparer"`          // name
	Merger       string            `json:"merger,omitempty"`  // name
	TableFormats map[string]int    `json:"table_formats"`     // tables by format
	Dataset      *dataset.Manifest `json:"dataset,omitempty"` // if getio wrote the database
	Shape        *lsm.Shape        `json:"shape"`             // without the list of tables
	Components   map[string]Extent `json:"components"`        // "filter" (Pebble: above L6), "top_index", "index", "data", "filter_never_consulted" (of L6)
	WAL          WAL               `json:"wal"`
	// Families are RocksDB's column families, if there are several. The rest of the record is of the one that
	// "--option column_family" names.
	Families []Family `json:"column_families,omitempty"`
	// NewerTables is the number of tables that are newer than any in the MANIFEST: a client was killed, or the
	// MANIFEST cut short.
	NewerTables int `json:"newer_tables,omitempty"`
	// ManifestTorn means that the MANIFEST's last record is incomplete and was ignored.
	ManifestTorn bool `json:"manifest_torn,omitempty"`
	// OtherLevels means that a dataset's tree has other levels than getio.json lists.
	OtherLevels bool `json:"other_levels,omitempty"`
	// CacheFloor is the smallest cache that can be measured.
	CacheFloor int64 `json:"cache_floor_bytes"`

	Files string     `json:"-"` // directory of the database itself
	Made  *ChainMade `json:"-"` // nil unless it is the store of a chain that getio made
	// Written are the options of the database's own options file, under getio's names, and Read those of reading it.
	Written map[string]string `json:"-"`
	Read    map[string]string `json:"-"`
}

// Family is a column family.
type Family struct {
	Name   string `json:"name"`   // in hexadecimal if not printable
	Tables int64  `json:"tables"` // of the family
	Bytes  int64  `json:"bytes"`  // of the tables
	// BlobFiles are files that hold values apart from the tables; a Get of such a value makes one more read.
	BlobFiles int64 `json:"blob_files,omitempty"`
	BlobBytes int64 `json:"blob_bytes,omitempty"`
}

// Extent is the size of a component over the whole database.
type Extent struct {
	Bytes        int64   `json:"bytes"`          // of the component
	FractionOfDB float64 `json:"fraction_of_db"` // of all tables
}

// WAL is what only the write-ahead log holds. A read-only open replays these keys into
// memory, where they cost no I/O.
type WAL struct {
	Keys  int64 `json:"keys"`  // records that only the log holds
	Bytes int64 `json:"bytes"` // of its files
	// Prepared are records of prepared transactions that are not committed (RocksDB); Gets do not find them.
	Prepared int64 `json:"prepared,omitempty"`

	Missing []string `json:"-"` // directories of the log that are not there
}
