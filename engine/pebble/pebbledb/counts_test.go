package pebbledb

import (
	"testing"

	"getio/engine"
	"getio/tree/readpath"
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

func TestAccessesAddUpToLibraryCounts(t *testing.T) {
	blocks := readpath.PerComponent{
		readpath.Filter: 5000, readpath.TopIndex: 7000, readpath.Index: 3010, readpath.Data: 3020,
	}
	c := countsOf(blocks, 4000, 40)
	a := Accesses(c, false)
	if a.Count[readpath.Filter] != 5000 || a.Count[readpath.TopIndex] != 7000 || a.Count[readpath.TableOpen] != 120 {
		t.Errorf("%+v", a)
	}
	if a.Rest() != 6030 || a.Probed != 3000 || a.SplitExact {
		t.Errorf("%+v", a)
	}
	// The split assumes one data block per probed table.
	if a.Count[readpath.Data] != 3000 || a.Count[readpath.Index] != 3030 {
		t.Errorf("%+v", a)
	}
}

func TestAccessesSplitIsExactForSingleLevelIndexes(t *testing.T) {
	c := countsOf(readpath.PerComponent{readpath.Filter: 50, readpath.TopIndex: 70, readpath.Data: 31}, 40, 0)
	a := Accesses(c, true)
	if !a.SplitExact || a.Count[readpath.Data] != 31 || a.Count[readpath.Index] != 0 {
		t.Errorf("%+v", a)
	}
}

// A Get that ends in the memtable or at a range deletion may access fewer blocks than it
// probes tables. No count may become negative.
func TestAccessesAreNeverNegative(t *testing.T) {
	c := countsOf(readpath.PerComponent{readpath.Filter: 10, readpath.TopIndex: 20, readpath.Data: 5}, 2, 0)
	for _, singleLevel := range []bool{true, false} {
		for component, n := range Accesses(c, singleLevel).Count {
			if n < 0 {
				t.Errorf("%d accesses of %s", n, readpath.Component(component))
			}
		}
	}
}
