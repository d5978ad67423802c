package region

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine"
	"getio/engine/readpath"
)

// agreeing returns consistent counts: every access was a read, and 4 tables were opened.
func agreeing() (c engine.Counts) {
	c.Accesses.Count = readpath.PerComponent{readpath.Filter: 50, readpath.TopIndex: 70, readpath.Index: 30, readpath.Data: 30}
	c.Reads.Count = c.Accesses.Count
	c.Reads.Count[readpath.TableOpen], c.Reads.Footers, c.TableCacheMisses = 12, 4, 4
	return c
}

func TestChecksPassForConsistentCounts(t *testing.T) {
	assert.Empty(t, failed(Checks(agreeing())))
}

// failed lists the names of the failed checks.
func failed(checks []readpath.Check) string {
	var names []string
	for _, c := range checks {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestChecksFailForInconsistentCounts(t *testing.T) {
	for want, change := range map[string]func(*engine.Counts){
		"regions":                func(c *engine.Counts) { c.Reads.Misplaced++ },
		"table_opens":            func(c *engine.Counts) { c.Reads.Footers++ },
		"misses_within_accesses": func(c *engine.Counts) { c.Reads.Count[readpath.Filter]++ },
	} {
		for _, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
			c := agreeing()
			if want == "misses_within_accesses" {
				c.Reads.Count[component]++
			} else {
				change(&c)
			}
			assert.Equal(t, want, failed(Checks(c)), "%s: failed checks", component)
		}
	}
}

func TestEqual(t *testing.T) {
	c := Equal("name", "these", 3, "those", 4)
	if c.OK || c.Name != "name" || c.Detail != "these 3, those 4" {
		t.Errorf("%+v", c)
	}
	assert.True(t, Equal("name", "these", 3, "those", 3).OK, "3 is not 3")
}
