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

// CellOutline is a cell of a plan before it runs: a run with a cache, or a state database.
type CellOutline struct {
	Number     int
	CacheBytes int64
	// Round counts from 1 to Rounds; both are 0 except in a comparison.
	Round, Rounds int
	Store         *StoreOutline // nil of a run with a cache
	Needs         *CellNeeds
}

// StoreOutline is a state database that a cell measures.
type StoreOutline struct {
	Label, Version string
	Keys           uint64
}

// CellNeeds is what a cell is expected to need.
type CellNeeds struct {
	// CPUSeconds and Hours are at least and at most; hours with Processors that have nothing else to do.
	// All are 0 where the time is not predicted.
	CPUSeconds [2]float64 `json:"cpu_seconds,omitzero"`
	Hours      [2]float64 `json:"hours,omitzero"`
	Processors int        `json:"processors,omitempty"`
	// MemoryBytes are of the processes without the page cache.
	MemoryBytes int64 `json:"memory_bytes"`
	// DiskBytes are of the datasets, or of a store while it is measured.
	DiskBytes int64 `json:"disk_bytes"`
	// Basis says what the times were derived from.
	Basis string `json:"basis,omitempty"`
}
