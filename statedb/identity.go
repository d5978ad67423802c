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
	"getio/system/filesum"
)

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
		sum, err := filesum.SHA256(word)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read (%w), so nothing tells it from another adapter: make it readable", word, atomicfile.Cause(err))
		}
		sums = append(sums, sum)
	}
	return sums, nil
}
