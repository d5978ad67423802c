package pebbledb

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine"
	"getio/engine/readpath"
)

// countsOf returns a library's counts of the given block accesses, all of them misses,
// with opens tables opened.
func countsOf(blocks readpath.PerComponent, negatives, opens int64) engine.Counts {
	visits := blocks[readpath.TopIndex]
	c := engine.Counts{
		TableCacheHits: visits - opens, TableCacheMisses: opens,
		FilterNegatives: negatives, FilterPositives: blocks[readpath.Filter] - negatives,
		// Opening a table looks up its metaindex and properties in the cache.
		BlockCacheHits: 0, BlockCacheMisses: blocks.Sum() + 2*opens,
	}
	c.Reads.Count = blocks
	c.Reads.Count[readpath.TableOpen] = 3 * opens
	c.Reads.Footers = opens
	return c
}

func TestAccesses(t *testing.T) {
	twoLevel := countsOf(readpath.PerComponent{
		readpath.Filter: 5000, readpath.TopIndex: 7000, readpath.Index: 3010, readpath.Data: 3020,
	}, 4000, 40)
	oneLevel := countsOf(readpath.PerComponent{readpath.Filter: 50, readpath.TopIndex: 70, readpath.Data: 31}, 40, 0)
	// Gets that end in the memtable or at a range deletion may access fewer blocks than they
	// probe tables. No count may become negative.
	few := countsOf(readpath.PerComponent{readpath.Filter: 10, readpath.TopIndex: 20, readpath.Data: 5}, 2, 0)
	for _, c := range []struct {
		counts engine.Counts
		want   readpath.Accesses
	}{
		{twoLevel, readpath.Accesses{Probed: 3000, Count: readpath.PerComponent{ // one data block per probed table
			readpath.Filter: 5000, readpath.TopIndex: 7000, readpath.TableOpen: 120, readpath.Index: 3030, readpath.Data: 3000}}},
		{oneLevel, readpath.Accesses{Probed: 30, SplitExact: true, Count: readpath.PerComponent{
			readpath.Filter: 50, readpath.TopIndex: 70, readpath.Data: 31}}},
		{few, readpath.Accesses{Probed: 18, SplitExact: true, Count: readpath.PerComponent{
			readpath.Filter: 10, readpath.TopIndex: 20, readpath.Data: 5}}},
		{few, readpath.Accesses{Probed: 18, Count: readpath.PerComponent{
			readpath.Filter: 10, readpath.TopIndex: 20, readpath.Data: 5}}},
	} {
		assert.Equal(t, c.want, Accesses(c.counts, c.want.SplitExact))
	}
}
