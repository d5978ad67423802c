package record

// PlannedCell says which cell of which plan a record is of, and what made it.
type PlannedCell struct {
	Plan       string `json:"plan"` // identity of the plan: SHA-256 in hexadecimal
	Experiment string `json:"experiment"`
	Cell       int    `json:"cell"` // from 0 on
	Cells      int    `json:"cells"`
	Getio      string `json:"getio"` // identity of the getio that made the run
	// Dataset is the identity of the database that was read, and Adapter that of the adapter of a state
	// database. One of them is there.
	Dataset string `json:"dataset,omitempty"`
	Adapter string `json:"adapter,omitempty"`
}
