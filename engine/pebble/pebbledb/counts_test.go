package pebbledb

import (
	"testing"

	"getio/engine"
	"getio/tree/readpath"
)

// countsOf is what a library counts of so many blocks asked for, all of them
// read, with the given number of tables opened.
func countsOf(blocks readpath.PerComponent, negatives, opens int64) engine.Counts {
	visits := blocks[readpath.TopIndex]
	c := engine.Counts{
		TableCacheHits: visits - opens, TableCacheMisses: opens,
		FilterNegatives: negatives, FilterPositives: blocks[readpath.Filter] - negatives,
		// Opening a table looks its metaindex and properties up in the cache.
		BlockCacheHits: 0, BlockCacheMisses: blocks.Sum() + 2*opens,
	}
	c.Reads.Count = blocks
	c.Reads.Count[readpath.TableOpen] = 3 * opens
	c.Reads.Footers = opens
	return c
}

func TestAccessesAddUpToWhatTheLibraryCounts(t *testing.T) {
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
	// One data block per table probed, as far as the library tells.
	if a.Count[readpath.Data] != 3000 || a.Count[readpath.Index] != 3030 {
		t.Errorf("%+v", a)
	}
}

func TestAccessesOfOneLevelIndexesAreExact(t *testing.T) {
	c := countsOf(readpath.PerComponent{readpath.Filter: 50, readpath.TopIndex: 70, readpath.Data: 31}, 40, 0)
	a := Accesses(c, true)
	if !a.SplitExact || a.Count[readpath.Data] != 31 || a.Count[readpath.Index] != 0 {
		t.Errorf("%+v", a)
	}
}

// Table visits whose Get ends in the memtable or at a range deletion may ask
// for fewer blocks than tables probed: none is counted below zero.
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
