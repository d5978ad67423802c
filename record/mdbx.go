package record

// MDBX describes an MDBX database, from what its pages say of their trees.
type MDBX struct {
	Schema      string `json:"schema"`
	Path        string `json:"path"`
	Format      int    `json:"format"`
	PageBytes   int64  `json:"page_bytes"`
	Transaction uint64 `json:"transaction"` // the newest
	FileBytes   int64  `json:"file_bytes"`
	// UsedPages are those up to the last one in use. FreePages of them are on the list of free ones,
	// and UncountedPages in no tree either, which are none in a sound database.
	UsedPages      int64 `json:"used_pages"`
	FreePages      int64 `json:"free_pages"`
	UncountedPages int64 `json:"uncounted_pages"`
	// MainEntries are entries of the main table itself, not the tables that it lists.
	MainEntries uint64      `json:"main_entries,omitempty"`
	Tables      []MDBXTable `json:"tables"`
}

// MDBXTable is a B+tree, with those that its keys with many values have.
type MDBXTable struct {
	Name        string `json:"name"`
	DupSort     bool   `json:"dupsort,omitempty"` // a key may have several values
	Entries     uint64 `json:"entries"`
	Depth       int    `json:"depth"`
	BranchPages int64  `json:"branch_pages"`
	LeafPages   int64  `json:"leaf_pages"`
	LargePages  int64  `json:"large_pages"` // of values that do not fit a leaf
}

// Pages returns the pages of the tree.
func (t *MDBXTable) Pages() int64 { return t.BranchPages + t.LeafPages + t.LargePages }
