package study

import (
	"slices"
	"testing"

	"getio/record"
)

func chainAt(path, engine string, zipf float64, operation string, cache int64) *record.Chain {
	r := &record.Chain{Path: path, Operation: operation, Engine: record.Engine{Name: engine}, Cache: record.Cache{Bytes: cache}}
	r.Workload.Zipf = zipf
	return r
}

// TestChainsAreOneStoreEach: measurements of one directory in one configuration and of
// one popularity stand together, and no two have one name.
func TestChainsAreOneStoreEach(t *testing.T) {
	r := record.Readings{Chains: []*record.Chain{
		chainAt("a/chain/chaindata", "pebblev2", 0, "getTx", 2), chainAt("a/chain/chaindata", "pebblev2", 0, "getTx", 1),
		chainAt("a/chain/chaindata", "pebblev2", 0.99, "getTx", 1), chainAt("a/chain/chaindata", "pebblev1", 0, "getTx", 1),
		chainAt("b/chain/chaindata", "pebblev1", 0, "getTx", 1), chainAt("a/chain/chaindata", "pebblev2", 0, "getBalance", 1),
	}, Level0s: []*record.Level0{{Path: "x/l"}, {Path: "y/l"}, {Path: "x/l", Filters: true}}}
	s := New(r)
	var names []string
	runs := 0
	for _, c := range s.Chains {
		names = append(names, c.Name)
		runs += len(c.Runs)
	}
	if want := []string{"chain", "chain, Zipf 0.99", "chain, pebblev1", "chain, pebblev1 (2)"}; !slices.Equal(names, want) || runs != len(r.Chains) {
		t.Errorf("%d runs of %q, want %d of %q", runs, names, len(r.Chains), want)
	}
	groups := ByOperation(s.Chains[0].Runs)
	if len(groups) != 2 || groups[0][0].Cache.Bytes != 1 || groups[0][1].Cache.Bytes != 2 || groups[1][0].Operation != "getBalance" {
		t.Errorf("by operation %v", groups)
	}
	if len(s.Level0s) != 2 || len(s.Level0s[0].Runs) != 2 || s.Level0s[0].Name == s.Level0s[1].Name {
		t.Errorf("tables of L0 %v", s.Level0s)
	}
}
