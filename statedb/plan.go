package statedb

import (
	"time"

	"getio/record"
	"getio/statedb/counter"
	"getio/workload/dataset"
)

// Question is what is written to a store and looked up in it.
type Question struct {
	Keys      uint64 `json:"keys"`       // to load
	Values    string `json:"values"`     // kind, as in a dataset
	ValueSize int    `json:"value_size"` // of each value
	Seed      uint64 `json:"seed"`       // of keys and values
	// Lookups is the number of lookups of each kind with an empty page cache.
	Lookups int `json:"lookups"`
	// Shares are budgets of memory and page cache together, as shares of the store's bytes.
	Shares []float64 `json:"budgets,omitempty"`
	// Overwrite are shares of the keys, ascending, after whose overwriting cold lookups are made again.
	Overwrite []float64 `json:"overwrite,omitempty"`
	// Counted is "outside", which needs root, or "inside": then stores lie in a directory, and only the engines' own
	// counts are known.
	Counted string `json:"counted"`
}

func (q *Question) outside() bool { return q.Counted == record.CountedOutside }

// Plan is how to measure stores.
type Plan struct {
	Question
	// Place is where the private disk, or the directory of a store whose reads are counted inside, takes
	// its space. Its size follows from the workload, unless Bytes is set.
	Place counter.Place
	// Timeout is how long an adapter may be silent; 0 takes the default of each request.
	Timeout  time.Duration
	Progress func(phase string, done, total uint64, unit string)
}

func (p *Plan) describe(s Store) *record.State {
	return &record.State{
		Schema: record.StateSchema, Label: s.Name, Command: s.Command, AdapterOptions: s.Options, Lookups: p.Lookups,
		Keys: p.Keys, KeySize: dataset.KeySize, Keyspace: dataset.KeyspaceKeccak, Values: p.Values, ValueSize: p.ValueSize, Seed: p.Seed,
		Counted: p.Counted, Environment: record.ThisMachine(),
	}
}
