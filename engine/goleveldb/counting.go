package goleveldb

import (
	"sync/atomic"

	"github.com/syndtr/goleveldb/leveldb/cache"
	"github.com/syndtr/goleveldb/leveldb/filter"

	"getio/engine/goleveldb/ldbfile"
	"getio/engine/region"
	"getio/tree/readpath"
)

// countedCells is how many cells counts are spread over, by table, so that
// concurrent Gets seldom share a cache line. A power of two.
const countedCells = 16

// accesses counts what Gets ask the library's caches for. It is safe for
// concurrent use, and counts an access with one atomic addition.
type accesses struct {
	catalog   *ldbfile.Catalog
	noFilters bool // are consulted: iterators never do
	cells     [countedCells]accessCell
	// filters consulted, by what they said.
	negatives, maybes atomic.Int64
}

type accessCell struct {
	blocks   [readpath.NumComponents]atomic.Int64
	visits   atomic.Int64 // of tables
	filtered atomic.Int64 // visits of tables that have a filter
	_        [8 * 8]byte  // fills the second cache line
}

// block counts an access of the block at off of a table: where filter and index
// begin tells them from data.
func (a *accesses) block(file, off uint64) {
	component := readpath.Data
	if r := a.catalog.Regions(file); r.TopIndex.Off == int64(off) {
		component = readpath.TopIndex
	} else if r.Filter.Off == int64(off) && r.Filter != (region.Extent{}) {
		component = readpath.Filter
	}
	a.cells[file%countedCells].blocks[component].Add(1)
}

// visit counts a visit of a table.
func (a *accesses) visit(file uint64) {
	cell := &a.cells[file%countedCells]
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

// counted makes the library's own LRU cache, and has each called for whatever was
// asked for and is in the cache, or was just read (goleveldb:
// leveldb/cache/cache.go, Get).
type counted func(n *cache.Node)

// New implements opt.Cacher.
func (each counted) New(capacity int) cache.Cacher {
	return &countedCache{cache.NewLRU(capacity), each}
}

type countedCache struct {
	cache.Cacher
	each counted
}

// Promote implements cache.Cacher.
func (c *countedCache) Promote(n *cache.Node) {
	c.each(n)
	c.Cacher.Promote(n)
}

// blocks counts accesses of the block cache: a node's namespace is its table, its
// key the block's offset (leveldb/table.go, open; leveldb/table/reader.go).
func (a *accesses) blocks() counted {
	return func(n *cache.Node) { a.block(n.NS(), n.Key()) }
}

// tables counts visits of tables: a node's key is its number.
func (a *accesses) tables() counted {
	return func(n *cache.Node) { a.visit(n.Key()) }
}

// countedFilter is the library's Bloom filter, and counts what it says. It reads
// filters of any number of bits.
type countedFilter struct {
	filter.Filter
	*accesses
}

func (a *accesses) filter() filter.Filter { return &countedFilter{filter.NewBloomFilter(10), a} }

// Contains implements filter.Filter.
func (f *countedFilter) Contains(bits, key []byte) bool {
	may := f.Filter.Contains(bits, key)
	if may {
		f.maybes.Add(1)
	} else {
		f.negatives.Add(1)
	}
	return may
}
