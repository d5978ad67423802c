package statedb

import "getio/record"

// Question is what is written to a store and looked up in it.
type Question struct {
	Keys      uint64 `json:"keys"`
	Values    string `json:"values"` // kind, as in package dataset
	ValueSize int    `json:"value_size"`
	Seed      uint64 `json:"seed"`
	// Lookups is the number of lookups of each kind with an empty page cache.
	Lookups int `json:"lookups"`
	// Shares are budgets of memory and page cache together, as shares of the store's bytes.
	Shares []float64 `json:"budgets,omitempty"`
	// Overwrite are shares of the keys, ascending, after whose overwriting cold lookups are
	// made again.
	Overwrite []float64 `json:"overwrite,omitempty"`
	// Counted is record.CountedOutside or record.CountedInside. Stores whose reads are counted inside lie
	// in a directory, and only the engines' own counts are known.
	Counted string `json:"counted"`
}

func (q *Question) outside() bool { return q.Counted == record.CountedOutside }
