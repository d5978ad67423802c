package goleveldb

import (
	"sync/atomic"

	"github.com/syndtr/goleveldb/leveldb/cache"
	"github.com/syndtr/goleveldb/leveldb/filter"

	"getio/engine/goleveldb/ldbfile"
	"getio/engine/readpath"
	"getio/engine/region"
)

// numCells is the number of cells that counts are spread over, by table, so that
// concurrent Gets seldom share a cache line.
const numCells = 16

// accesses counts what Gets look up in the library's caches, with one atomic addition each.
// It is safe for concurrent use.
type accesses struct {
	catalog   *ldbfile.Catalog
	noFilters bool // iterators never consult any
	cells     [numCells]accessCell
	// Filters consulted, by their answer.
	negatives, positives atomic.Int64
	largest              atomic.Int64 // charge of a block, in bytes
}

type accessCell struct {
	blocks   [readpath.NumComponents]atomic.Int64
	visits   atomic.Int64 // of tables
	filtered atomic.Int64 // visits of tables with a filter
	_        [8 * 8]byte  // fills the second cache line
}

// block counts an access of the block at off of a table. The filter and the index are known
// by their offsets; all others are data.
func (a *accesses) block(file, off uint64) {
	component := readpath.Data
	if r := a.catalog.Regions(file); r.TopIndex.Off == int64(off) {
		component = readpath.TopIndex
	} else if r.Filter.Off == int64(off) && r.Filter != (region.Extent{}) {
		component = readpath.Filter
	}
	a.cells[file%numCells].blocks[component].Add(1)
}

// visit counts a visit of a table.
func (a *accesses) visit(file uint64) {
	cell := &a.cells[file%numCells]
	cell.visits.Add(1)
	if !a.noFilters && a.catalog.Regions(file).Filter != (region.Extent{}) {
		cell.filtered.Add(1)
	}
}

// sums adds all cells up.
func (a *accesses) sums() (blocks readpath.PerComponent, visits, filtered int64) {
	for i := range a.cells {
		cell := &a.cells[i]
		for c := range blocks {
			blocks[c] += cell.blocks[c].Load()
		}
		visits += cell.visits.Load()
		filtered += cell.filtered.Load()
	}
	return blocks, visits, filtered
}

// onLookup makes the library's own LRU cache and is called for every node that was looked up
// and is in the cache, or was just read (leveldb/cache/cache.go, Get). It reports whether the cache is to keep the node;
// a node that is not kept leaves memory after its use.
type onLookup func(n *cache.Node) (keep bool)

func (f onLookup) New(capacity int) cache.Cacher { return &countedCache{cache.NewLRU(capacity), f} }

type countedCache struct {
	cache.Cacher
	onLookup onLookup
}

func (c *countedCache) Promote(n *cache.Node) {
	if c.onLookup(n) {
		c.Cacher.Promote(n)
	}
}

// blockCacher counts accesses of the block cache: a node's namespace is its table, its key
// the block's offset (leveldb/table.go, open; leveldb/table/reader.go).
func (a *accesses) blockCacher() onLookup {
	return func(n *cache.Node) bool {
		a.block(n.NS(), n.Key())
		a.charge(int64(n.Size()))
		return true
	}
}

func (a *accesses) charge(bytes int64) {
	for largest := a.largest.Load(); bytes > largest; largest = a.largest.Load() {
		a.largest.CompareAndSwap(largest, bytes)
	}
}

// tableCacher counts visits of tables: a node's key is the table's number.
func (a *accesses) tableCacher() onLookup {
	return func(n *cache.Node) bool { a.visit(n.Key()); return true }
}

// countedFilter is the library's Bloom filter under the name of a policy, and counts its answers.
type countedFilter struct {
	filter.Filter
	policy string
	*accesses
}

// filter returns a Bloom filter of a policy that writes the given bits per key and reads any.
func (a *accesses) filter(policy string, bits int) filter.Filter {
	return &countedFilter{filter.NewBloomFilter(bits), policy, a}
}

func (f *countedFilter) Name() string { return f.policy }

func (f *countedFilter) Contains(bits, key []byte) bool {
	positive := f.Filter.Contains(bits, key)
	if positive {
		f.positives.Add(1)
	} else {
		f.negatives.Add(1)
	}
	return positive
}
