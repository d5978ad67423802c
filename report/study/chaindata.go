package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// Chain is the cost of a client's operations on one chaindata directory: one run for each
// operation and cache.
type Chain struct {
	Name string // short, and no other chain's
	Runs []*record.Chain
}

// Level0 is the cost of operations by number of L0 tables on one chain, with several
// caches, with and without filters.
type Level0 struct {
	Name string // short, and no other's
	Runs []*record.Level0
}

// Stores are state databases with the same keys and values and the same lookups. Those measured
// elsewhere are among all whose keys and values they stand for.
type Stores struct {
	Name string // what they have in common; empty where no others are in the study
	Runs []*record.State
}

// addClient groups the measurements of a client's operations by directory.
func (s *Study) addClient(chains []*record.Chain, level0s []*record.Level0) {
	names := namer{}
	for _, runs := range GroupBy(chains, func(r *record.Chain) any {
		w := r.Workload
		return []any{r.Path, r.Engine, r.Head, r.Live, w.Distribution, w.Zipf, w.Seed}
	}) {
		w := runs[0].Workload
		popularity := ""
		if w.Zipf > 0 {
			popularity = fmt.Sprintf("Zipf %g", w.Zipf)
		}
		s.Chains = append(s.Chains, &Chain{
			Name: names.next(runs[0].Path, popularity, runs[0].Engine.Name),
			Runs: bestOfEach(runs, func(r *record.Chain) any { return []any{r.OperationName(), r.Cache.Bytes} }, worthOfChain),
		})
	}
	names = namer{}
	for _, runs := range GroupBy(level0s, func(r *record.Level0) any { return []any{r.Path, r.Engine, r.Workload} }) {
		s.Level0s = append(s.Level0s, &Level0{
			Name: names.next(runs[0].Path, runs[0].Engine.Name),
			Runs: bestOfEach(runs, func(r *record.Level0) any { return []any{r.Filters, r.Cache.Bytes} },
				func(a, b *record.Level0) int { return cmp.Or(trueFirst(a.Hold(), b.Hold()), b.Time.Compare(a.Time)) }),
		})
	}
}

// addStates groups state databases by what makes them comparable.
func (s *Study) addStates(all []*record.State) {
	for _, runs := range ComparableStates(all) {
		s.Stores = append(s.Stores, &Stores{
			Runs: bestOfEach(runs, func(r *record.State) any { return []any{r.Label, r.Keys} },
				func(a, b *record.State) int {
					return cmp.Or(trueFirst(a.Checks.Hold(), b.Checks.Hold()), b.Time.Compare(a.Time))
				}),
		})
	}
	if len(s.Stores) < 2 {
		return
	}
	var traits [][]trait
	for _, stores := range s.Stores {
		traits = append(traits, stores.traits())
	}
	for i, name := range namesOf(traits) {
		s.Stores[i].Name = name
	}
}

// traits are what stores have in common, the most telling first.
func (s *Stores) traits() []trait {
	r := s.Runs[0]
	values := r.Values
	if r.Values == "random" {
		values += " values"
	}
	return []trait{
		{"values", fmt.Sprintf("%s of %d bytes", values, r.ComparedValueSize())},
		{"lookups", units.Comma(int64(r.Lookups)) + " lookups"},
		{"counted", "counted " + r.Counted},
		{"seed", fmt.Sprintf("seed %d", r.Seed)},
	}
}

// ComparableStates groups state databases with the same keys and values, counted in the same way.
// The number of lookups may differ: each figure has its own interval. A store that was measured
// elsewhere joins every group with the values that it stands for.
func ComparableStates(all []*record.State) [][]*record.State {
	var own, elsewhere []*record.State
	for _, r := range all {
		if r.Provenance == nil {
			own = append(own, r)
		} else {
			elsewhere = append(elsewhere, r)
		}
	}
	groups := GroupBy(own, func(r *record.State) any {
		return []any{r.KeySize, r.Keyspace, r.Values, r.ValueSize, r.Seed, r.Counted}
	})
	var alone []*record.State
	for _, r := range elsewhere {
		joined := false
		for i, g := range groups {
			if first := g[0]; first.KeySize == r.KeySize && first.ValueSize == r.ComparedValueSize() && first.Counted == r.Counted {
				groups[i], joined = append(g, r), true
			}
		}
		if !joined {
			alone = append(alone, r)
		}
	}
	return append(groups, GroupBy(alone, func(r *record.State) any { return []any{r.KeySize, r.ComparedValueSize(), r.Counted} })...)
}

// worthOfChain orders runs of one operation and cache, the most informative first.
func worthOfChain(a, b *record.Chain) int {
	steady := func(r *record.Chain) bool { return r.Reads.Steady != nil && *r.Reads.Steady }
	return cmp.Or(trueFirst(a.Checks.Hold(), b.Checks.Hold()), trueFirst(steady(a), steady(b)),
		cmp.Compare(b.Workload.Operations, a.Workload.Operations), b.Time.Compare(a.Time))
}

// trueFirst orders true before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// GroupBy groups records by a key, in their order. The key must have a form in JSON.
func GroupBy[R any](all []R, alike func(R) any) (groups [][]R) {
	at := map[string]int{}
	for _, r := range all {
		text, _ := json.Marshal(alike(r))
		i, known := at[string(text)]
		if !known {
			i = len(groups)
			at[string(text)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// bestOfEach returns the first record by worth for each setting, in the order of the settings.
func bestOfEach[R any](all []R, setting func(R) any, worth func(a, b R) int) (one []R) {
	for _, same := range GroupBy(all, setting) {
		one = append(one, slices.MinFunc(same, worth))
	}
	return one
}

// ByOperation groups measurements by operation, in their order, each by cache size.
func ByOperation(runs []*record.Chain) [][]*record.Chain {
	groups := GroupBy(runs, func(r *record.Chain) any { return r.OperationName() })
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *record.Chain) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	}
	return groups
}

// namer gives each database a name of its own.
type namer map[string]bool

// next returns the name of a client's directory, with as many of the traits as tell it
// from others, and else a number.
func (n namer) next(path string, traits ...string) string {
	if dir, base := filepath.Split(filepath.Clean(path)); base == "chaindata" && dir != "" {
		path = dir // as go-ethereum calls all of them
	}
	name := databaseName(path)
	for _, trait := range traits {
		if n[name] && trait != "" {
			name += ", " + trait
		}
	}
	plain := name
	for i := 2; n[name]; i++ {
		name = fmt.Sprintf("%s (%d)", plain, i)
	}
	n[name] = true
	return name
}
