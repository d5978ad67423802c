package statedb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"getio/record"
	"getio/statedb/adapter"
	"getio/system/atomicfile"
	"getio/system/filesystem"
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
	return record.StateStore{
		Name: hello.Engine, Version: hello.EngineVersion, Patches: hello.Patches, Configuration: c.Name, KeyHash: c.KeyHash, Caches: c.Caches,
	}
}

// Adapter identifies the adapter of a store.
type Adapter struct {
	// StateStore is as the adapter greets: without options and statistics.
	record.StateStore
	// MemoryPerKey is the memory that the store says it needs per key besides its caches, in bytes.
	MemoryPerKey float64 `json:"memory_per_key,omitempty"`
	// Files are the SHA-256 of the program and of each file that its command names.
	Files []string `json:"files,omitempty"`
}

// Identity returns the SHA-256 of what identifies the adapter, in hexadecimal.
func (a *Adapter) Identity() (string, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Identify starts the adapter of a store to be greeted by it, and refuses one that cannot hold values of
// this size, in bytes. timeout is as in Plan.
func Identify(ctx context.Context, s Store, valueSize int, timeout time.Duration) (a Adapter, err error) {
	if a.Files, err = s.files(); err != nil {
		return a, err
	}
	client, err := adapter.Start(ctx, exec.Command(s.Command[0], s.Command[1:]...), timeout)
	if err != nil {
		return a, err
	}
	hello := client.Hello()
	if err := client.End(); err != nil {
		return a, err
	}
	c, err := s.configuration(&hello, valueSize)
	if err != nil {
		return a, err
	}
	a.StateStore, a.MemoryPerKey = greeted(&hello, c), c.MemoryPerKey
	return a, nil
}

// files returns the sums of the files that the command names, in its order.
func (s *Store) files() (sums []string, err error) {
	if self, err := os.Executable(); err == nil && self == s.Command[0] {
		return nil, nil
	}
	for i, word := range s.Command {
		fi, err := os.Stat(word)
		if i > 0 && (err != nil || !fi.Mode().IsRegular()) {
			continue
		}
		sum, err := filesystem.SHA256(word)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read (%w), so nothing tells it from another adapter: make it readable", word, atomicfile.Cause(err))
		}
		sums = append(sums, sum)
	}
	return sums, nil
}
