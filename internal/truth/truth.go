// Package truth says what Gets really read: it describes databases as people have them, and counts the reads of their
// table files with nothing but the library that wrote them. It imports nothing of getio, and only tests import it.
//
// A Tree is a sequence of operations. Each directory below holds one library, which applies the operations that the
// library has, and counts the reads of Gets in a file layer of its own.
package truth

import (
	"fmt"
	"math"
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

// Figure is the number of reads per Get, half of its 95% interval, and the bytes per Get.
type Figure struct {
	Mean, Half float64
	Bytes      float64
}

const (
	// fewestBatches estimate the error of the mean; their means are compared.
	fewestBatches = 40
	// batchGets is the least number of Gets in a batch. Batches are merged in pairs, so that those of long runs are
	// longer and depend on each other less.
	batchGets = 2_000
	// twoSided is Student's t for 95% and fewestBatches batches.
	twoSided = 2.02
)

// Precision is how well a figure is to be known: as a share of it, or absolutely, whichever is more.
type Precision struct{ Relative, Absolute float64 }

func (p Precision) reached(f Figure) bool { return f.Half <= max(p.Relative*f.Mean, p.Absolute) }

// Measure fills the cache with Gets of workers and then makes Gets until the reads of one are known with the precision.
func Measure(r Reader, workers int, seed uint64, p Precision) (Figure, error) {
	entries, err := r.Entries()
	if err != nil || len(entries) == 0 {
		return Figure{}, err
	}
	// Blocks of tens of keys were accessed many times by then.
	if _, err := r.Gets(max(2*int64(len(entries)), fewestBatches*batchGets), workers, seed); err != nil {
		return Figure{}, err
	}
	var batches []float64
	var bytes, gets int64
	for size := int64(batchGets); ; size *= 2 {
		for len(batches) < 2*fewestBatches {
			seed++
			reads, err := r.Gets(size, workers, seed<<32)
			if err != nil {
				return Figure{}, err
			}
			batches = append(batches, float64(reads.Count)/float64(size))
			bytes, gets = bytes+reads.Bytes, gets+size
			if f := figureOf(batches); len(batches) >= fewestBatches && p.reached(f) {
				f.Bytes = float64(bytes) / float64(gets)
				return f, nil
			}
		}
		for i := range fewestBatches {
			batches[i] = (batches[2*i] + batches[2*i+1]) / 2
		}
		batches = batches[:fewestBatches]
	}
}

func figureOf(batches []float64) Figure {
	n, mean, squares := float64(len(batches)), 0.0, 0.0
	for _, b := range batches {
		mean += b / n
	}
	for _, b := range batches {
		squares += (b - mean) * (b - mean)
	}
	return Figure{Mean: mean, Half: twoSided * math.Sqrt(squares/(n-1)/n)}
}
