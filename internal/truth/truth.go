// Package truth says what Gets really read: it describes databases as people have them, and counts the reads of their
// table files with nothing but the library that wrote them. It imports nothing of getio, and only tests import it.
//
// A Tree is a sequence of operations. Each directory below holds one library, which applies the operations that the
// library has, and counts the reads of Gets in a file layer of its own.
package truth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Library writes and reads databases of one library.
type Library struct {
	Name  string // of getio's engine for it
	Lacks []Kind // kinds of operations that it does not have
	// Write makes a database in dir, which does not exist.
	Write func(dir string, t Tree) error
	// Open opens a database read-only with an empty cache.
	Open func(dir string, c Cache) (Reader, error)
}

// Has reports whether the library has all operations that make the tree what it is.
func (l *Library) Has(t Tree) bool {
	return !slices.ContainsFunc(t.Needs, func(k Kind) bool { return slices.Contains(l.Lacks, k) })
}

// Cache is a block cache.
type Cache struct {
	Bytes    int64
	Reserved int64 // of Bytes, for memtables and not for blocks, in libraries whose memtables are part of it
	Shards   int
}

// Reader is a database opened read-only.
type Reader interface {
	// Entries returns all keys as the library's iterator does, in order.
	Entries() ([]Entry, error)
	// Gets has workers look up n keys at the same time, each drawn uniformly from all keys, and returns what that read
	// from table files. It is an error if a key is not found.
	Gets(n int64, workers int, seed uint64) (Reads, error)
	Close() error
}

// Entry is a key of a database.
type Entry struct {
	Key        []byte
	ValueBytes int64
}

// Reads are reads of table files.
type Reads struct{ Count, Bytes int64 }

// Counter counts reads of table files.
type Counter struct{ count, bytes atomic.Int64 }

// Add counts one read.
func (c *Counter) Add(bytes int) {
	c.count.Add(1)
	c.bytes.Add(int64(bytes))
}

func (c *Counter) sub(before Reads) Reads {
	return Reads{c.count.Load() - before.Count, c.bytes.Load() - before.Bytes}
}

// Gets implements Reader.Gets for a library in this process.
func (c *Counter) Gets(n int64, workers int, seed uint64, entries []Entry, get func(key []byte) (found bool, err error)) (Reads, error) {
	before, all := c.sub(Reads{}), new(errgroup.Group)
	for worker := range int64(workers) {
		all.Go(func() error {
			random := rand.New(rand.NewPCG(seed, uint64(worker)))
			for i := worker; i < n; i += int64(workers) {
				key := entries[random.IntN(len(entries))].Key
				found, err := get(key)
				if err != nil {
					return fmt.Errorf("get %x: %w", key, err)
				}
				if !found {
					return fmt.Errorf("get %x: not found, but the iterator returned it", key)
				}
			}
			return nil
		})
	}
	err := all.Wait()
	return c.sub(before), err
}
