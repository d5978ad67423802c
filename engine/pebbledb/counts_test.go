package pebbledb

import (
	"strings"
	"testing"

	"getio/engine"
	"getio/readpath"
	"getio/record"
)

// countsOf is what a library counts of so many blocks asked for, all of them
// read, with the given number of tables opened.
func countsOf(blocks readpath.PerComponent, negatives, opens int64) engine.Counts {
	visits := blocks[readpath.TopIndex]
	c := engine.Counts{
		TableCacheHits: visits - opens, TableCacheMisses: opens,
		FilterNegatives: negatives, FilterMaybes: blocks[readpath.Filter] - negatives,
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

func TestChecksHoldForCountsThatAgree(t *testing.T) {
	c := countsOf(readpath.PerComponent{readpath.Filter: 50, readpath.TopIndex: 70, readpath.Index: 30, readpath.Data: 30}, 40, 4)
	c.Accesses = Accesses(c, false)
	for _, check := range Checks(c) {
		if !check.OK {
			t.Errorf("%s: %s", check.Name, check.Detail)
		}
	}
}

// failed lists the names of the checks that do not hold.
func failed(checks []record.Check) string {
	var names []string
	for _, c := range checks {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestChecksNoticeCountsThatDisagree(t *testing.T) {
	for want, change := range map[string]func(*engine.Counts){
		"regions":                func(c *engine.Counts) { c.Reads.Misplaced++ },
		"table_opens":            func(c *engine.Counts) { c.Reads.Footers++ },
		"misses_within_accesses": func(c *engine.Counts) { c.Reads.Count[readpath.Filter]++ },
	} {
		for _, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
			c := countsOf(readpath.PerComponent{readpath.Filter: 50, readpath.TopIndex: 70, readpath.Index: 30, readpath.Data: 30}, 40, 4)
			c.Accesses = Accesses(c, false)
			if want == "misses_within_accesses" {
				c.Reads.Count[component]++
			} else {
				change(&c)
			}
			if got := failed(Checks(c)); got != want {
				t.Errorf("%s, %s: the checks that fail are %q", want, component, got)
			}
		}
	}
}

func TestEqualSaysBothCounts(t *testing.T) {
	c := Equal("name", "these", 3, "those", 4)
	if c.OK || c.Name != "name" || c.Detail != "these 3, those 4" {
		t.Errorf("%+v", c)
	}
	if !Equal("name", "these", 3, "those", 3).OK {
		t.Error("3 is not 3")
	}
}
