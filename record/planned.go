package record

// PlannedCell says which cell of which plan a record is of, and what made it.
type PlannedCell struct {
	Plan       string `json:"plan"`       // identity: SHA-256 of its lines without predictions
	Experiment string `json:"experiment"` // as in the plan
	Cell       int    `json:"cell"`       // number, from 0 on
	Cells      int    `json:"cells"`      // of the plan
	Getio      string `json:"getio"`      // identity of the getio that made the run
	// Dataset is the identity of the database that was read.
	Dataset string `json:"dataset,omitempty"`
	// Adapter is the identity of a state database's adapter: SHA-256 of what the plan says of it.
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
	// CPUSeconds is processor time, at least and at most; absent of compare-state, like hours.
	CPUSeconds [2]float64 `json:"cpu_seconds,omitzero"`
	Hours      [2]float64 `json:"hours,omitzero"`       // by the clock, at least and at most, with idle processors
	Processors int        `json:"processors,omitempty"` // that the hours assume
	// MemoryBytes are of the processes, adapter included, without the page cache.
	MemoryBytes int64 `json:"memory_bytes"`
	// DiskBytes are of the datasets, or of a store while it is measured.
	DiskBytes int64 `json:"disk_bytes"`
	// Basis is what the times were derived from.
	Basis string `json:"basis,omitempty"`
}
