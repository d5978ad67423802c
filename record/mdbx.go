package record

// MDBX describes an MDBX database, from what its pages say of their trees.
type MDBX struct {
	Schema      string `json:"schema"`
	Path        string `json:"path"`        // directory
	Format      int    `json:"format"`      // of the file
	PageBytes   int64  `json:"page_bytes"`  // size of a page
	Transaction uint64 `json:"transaction"` // number of the newest
	FileBytes   int64  `json:"file_bytes"`  // size of the file
	// UsedPages are those up to the last one in use.
	UsedPages int64 `json:"used_pages"`
	// FreePages are the used ones on the list of free pages.
	FreePages int64 `json:"free_pages"`
	// UncountedPages are used pages in no tree and not free: 0 in a sound database.
	UncountedPages int64 `json:"uncounted_pages"`
	// MainEntries are entries of the main table itself, besides the tables that it lists.
	MainEntries uint64      `json:"main_entries,omitempty"`
	Tables      []MDBXTable `json:"tables"`
}

// MDBXTable is a B+tree, with those that its keys with many values have.
type MDBXTable struct {
	Name        string `json:"name"`              // quoted and escaped if not printable
	DupSort     bool   `json:"dupsort,omitempty"` // a key may have several values
	Entries     uint64 `json:"entries"`           // records
	Depth       int    `json:"depth"`             // levels of the tree
	BranchPages int64  `json:"branch_pages"`      // with those of its keys' own trees (dupsort)
	LeafPages   int64  `json:"leaf_pages"`        // the same
	LargePages  int64  `json:"large_pages"`       // of values that do not fit a leaf
}

// Pages returns the pages of the tree.
func (t *MDBXTable) Pages() int64 { return t.BranchPages + t.LeafPages + t.LargePages }
