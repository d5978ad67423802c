package record

// CategoriesSchema marks a census of a chaindata directory.
const CategoriesSchema = "getio.categories/1"

// Categories is what a chaindata directory holds.
type Categories struct {
	Schema string `json:"schema"`
	Path   string `json:"path"`
	Engine Engine `json:"engine"`
	// Scheme is how the nodes of the state's tries are stored: path, hash, both or
	// none.
	Scheme string `json:"scheme"`
	// Exact: every key was counted. Else all figures are estimates, from as many
	// key ranges of so many, drawn with the seed.
	Exact      bool                     `json:"exact"`
	Sample     *CategorySample          `json:"sample,omitempty"`
	Categories map[string]CategoryTally `json:"categories"`
	Total      CategoryTally            `json:"total"`
	// WAL is what only the write-ahead log holds; it is counted too.
	WAL     WAL            `json:"wal"`
	Freezer []FreezerTable `json:"freezer,omitempty"`
}

// CategorySample says what an estimate comes from.
type CategorySample struct {
	Ranges int64  `json:"ranges"`
	Of     int64  `json:"of"`
	Seed   uint64 `json:"seed"`
}

// CategoryTally is keys and bytes of a category.
type CategoryTally struct {
	Keys       int64 `json:"keys"`
	KeyBytes   int64 `json:"key_bytes"`
	ValueBytes int64 `json:"value_bytes"`
	// Standard errors of an estimate; absent from exact figures.
	KeysError  *float64 `json:"keys_error,omitempty"`
	BytesError *float64 `json:"bytes_error,omitempty"` // of keys and values together
}

// FreezerTable is a table of geth's freezer.
type FreezerTable struct {
	Freezer string `json:"freezer,omitempty"` // chain | state
	Name    string `json:"name"`
	Items   int64  `json:"items"`   // that were ever written,
	Removed int64  `json:"removed"` // of which so many first ones are gone
	Bytes   int64  `json:"bytes"`   // of its files
}
