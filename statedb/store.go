package statedb

import (
	"fmt"

	"getio/record"
	"getio/statedb/adapter"
	"getio/workload/dataset"
)

// Store is a state database to be measured.
type Store struct {
	Name    string // of the side, in records
	Command []string
	// Given is the command of a store of the user's, as it was given; absent for those that getio knows.
	Given         []string
	Configuration string // empty takes the default
	Options       []string
	// DiskPerKey is the bytes per key of the disk that it is loaded on; 0 if unknown.
	DiskPerKey int64
	Memory     Memory // zero if unknown
	// OneProcessor is for a store that is loaded on one processor, so that its threads cannot make
	// what lookups read depend on which of them is first.
	OneProcessor bool
}

// Memory is what getio and an adapter take at most while a store is loaded with caches of 256 MiB and measured,
// without the page cache.
type Memory struct {
	Bytes  int64
	PerKey float64
}

// configuration returns the store's configuration, and refuses one that cannot hold values of this size.
func (s *Store) configuration(hello *adapter.Hello, valueSize int) (*adapter.Configuration, error) {
	c, err := hello.Configuration(s.Configuration)
	if err != nil {
		return nil, err
	}
	if err := c.Refuse(hello.Engine, dataset.KeySize, valueSize); err != nil {
		return nil, fmt.Errorf("%w: use another configuration or --value-size", err)
	}
	return c, nil
}

// greeted is what a greeting says of a store in a configuration.
func greeted(hello *adapter.Hello, c *adapter.Configuration) record.StateStore {
	s := record.StateStore{
		Name: hello.Engine, Version: hello.EngineVersion, Patches: hello.Patches, Configuration: c.Name, KeyHash: c.KeyHash,
	}
	for _, cache := range c.Caches {
		s.Caches = append(s.Caches, record.StateCache(cache))
	}
	return s
}
