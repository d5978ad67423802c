package record

import (
	"getio/engine/lsm"
	"getio/workload/dataset"
)

// Inspection describes a database: its format, shape and sizes.
type Inspection struct {
	Schema       string            `json:"schema"`
	Path         string            `json:"path"`
	Engine       Engine            `json:"engine"`
	Format       int               `json:"format,omitempty"` // major version; absent where the library has none
	Comparer     string            `json:"comparer"`
	Merger       string            `json:"merger,omitempty"`
	TableFormats map[string]int    `json:"table_formats"`
	Dataset      *dataset.Manifest `json:"dataset,omitempty"` // getio.json, if getio made it
	Shape        *lsm.Shape        `json:"shape"`
	Components   map[string]Extent `json:"components"`
	WAL          WAL               `json:"wal"`
	// Families are the column families of the database, if it has several.
	Families []Family `json:"column_families,omitempty"`
	// NewerTables is the number of tables in the directory that are newer than any table of the tree.
	NewerTables int `json:"newer_tables,omitempty"`
	// ManifestTorn means that the last record of the MANIFEST is incomplete and was ignored.
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
	Name   string `json:"name"`
	Tables int64  `json:"tables"`
	Bytes  int64  `json:"bytes"`
	// BlobFiles hold values apart from the tables.
	BlobFiles int64 `json:"blob_files,omitempty"`
	BlobBytes int64 `json:"blob_bytes,omitempty"`
}

// Extent is the size of a component over the whole database.
type Extent struct {
	Bytes        int64   `json:"bytes"`
	FractionOfDB float64 `json:"fraction_of_db"`
}

// WAL is what only the write-ahead log holds. A read-only open replays these keys into
// memory, where they cost no I/O.
type WAL struct {
	Keys  int64 `json:"keys"`
	Bytes int64 `json:"bytes"`
	// Prepared are records of transactions that are prepared and not committed; Gets do not find them.
	Prepared int64 `json:"prepared,omitempty"`

	Missing []string `json:"-"` // directories of the log that are not there
}
