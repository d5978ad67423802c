package study

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"getio/engine/readpath"
	"getio/record"
)

func chainAt(path, engine string, zipf float64, operation string, cache int64) *record.Chain {
	r := &record.Chain{Path: path, Operation: operation, Engine: record.Engine{Name: engine}, Cache: record.Cache{Bytes: cache}}
	r.Workload.Zipf = zipf
	return r
}

// TestChainsAreOneStoreEach: a chain holds the measurements of one directory,
// configuration and popularity, and has a name of its own.
func TestChainsAreOneStoreEach(t *testing.T) {
	r := record.Set{Chains: []*record.Chain{
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

// TestBestOfASetting: of several runs of one setting, a believable one counts first, then
// a steady one, then the one of most operations, then the latest.
func TestBestOfASetting(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute) }
	run := func(minutes int, operations int64, steady, holds bool) *record.Chain {
		r := chainAt("a", "pebblev2", 0, "getTx", 1)
		r.Time, r.Workload.Operations, r.Reads.Steady, r.Checks = at(minutes), operations, &steady, readpath.Checks{{OK: holds}}
		return r
	}
	for _, c := range []struct{ worse, better *record.Chain }{
		{run(2, 10, true, false), run(1, 5, false, true)},
		{run(2, 10, false, true), run(1, 5, true, true)},
		{run(2, 5, true, true), run(1, 10, true, true)},
		{run(1, 5, true, true), run(2, 5, true, true)},
	} {
		for _, order := range [][]*record.Chain{{c.worse, c.better}, {c.better, c.worse}} {
			s := New(record.Set{Chains: order})
			if len(s.Chains) != 1 || len(s.Chains[0].Runs) != 1 || s.Chains[0].Runs[0] != c.better {
				t.Errorf("%+v counts, and not %+v", s.Chains[0].Runs[0], c.better)
			}
		}
	}
	failed := &record.Level0{Time: at(2), Rows: []*record.Level0Row{{Checks: readpath.Checks{{}}}}}
	if s := New(record.Set{Level0s: []*record.Level0{{Time: at(1)}, failed, {Time: at(0)}}}); len(s.Level0s[0].Runs) != 1 || s.Level0s[0].Runs[0].Time != at(1) {
		t.Errorf("tables of L0 %v", s.Level0s[0].Runs)
	}
}

// TestStoresAreComparable: stores with other values, or counted otherwise, are apart.
func TestStoresAreComparable(t *testing.T) {
	store := func(label string, keys uint64, counted string) *record.State {
		return &record.State{Label: label, Keys: keys, Counted: counted, Lookups: 10, Values: "random", ValueSize: 110}
	}
	s := New(record.Set{States: []*record.State{
		store("a", 1, record.CountedOutside), store("a", 5, record.CountedOutside), store("a", 1, record.CountedInside), store("b", 1, record.CountedOutside), store("a", 5, record.CountedOutside),
	}})
	if len(s.Stores) != 2 || len(s.Stores[0].Runs) != 3 || len(s.Stores[1].Runs) != 1 || s.Stores[0].Name == s.Stores[1].Name {
		t.Errorf("stores %+v", s.Stores)
	}
	assert.Empty(t, New(record.Set{States: []*record.State{store("a", 1, record.CountedInside)}}).Stores[0].Name)
}

// TestStoresElsewhereJoinThoseTheyStandFor: their values may have another size, and stores of that
// size stay apart.
func TestStoresElsewhereJoinThoseTheyStandFor(t *testing.T) {
	store := func(label, values string, size int, from *record.StateProvenance) *record.State {
		return &record.State{Label: label, Keys: 1, Values: values, ValueSize: size, Provenance: from}
	}
	s := New(record.Set{States: []*record.State{
		store("fields", "random", 72, &record.StateProvenance{Adapter: "theirs", ValueBytes: 110}),
		store("a", "accounts", 110, nil), store("b", "random", 110, nil), store("c", "random", 72, nil),
		store("slots", "random", 32, &record.StateProvenance{Adapter: "theirs"}),
	}})
	var got []string
	for _, stores := range s.Stores {
		text := stores.Name + ":"
		for _, r := range stores.Runs {
			text += " " + r.Label
		}
		got = append(got, text)
	}
	assert.Equal(t, []string{
		"accounts of 110 bytes: a fields", "random values of 110 bytes: b fields", "random values of 72 bytes: c", "random values of 32 bytes: slots",
	}, got)
}
