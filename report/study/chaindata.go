package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// Group is records that a report shows together.
type Group[R any] struct {
	Name string // short, and no other group's of the kind; empty of the only stores
	Runs []*R
}

func (s *Study) addClient(chains []*record.Chain, level0s []*record.Level0) {
	names := namer{}
	for _, runs := range GroupBy(chains, func(r *record.Chain) any {
		w := r.Workload
		return []any{r.Path, r.Engine, r.Head, r.Live, w.Distribution, w.Zipf, w.Seed}
	}) {
		w := runs[0].Workload
		s.Chains = append(s.Chains, &Group[record.Chain]{
			Name: names.next(runs[0].Path, units.If(w.Zipf > 0, fmt.Sprintf("Zipf %g", w.Zipf)), runs[0].Engine.Name),
			Runs: bestOfEach(runs, func(r *record.Chain) any { return []any{r.OperationName(), r.Cache.Bytes} }, worthOfChain),
		})
	}
	names = namer{}
	for _, runs := range GroupBy(level0s, func(r *record.Level0) any { return []any{r.Path, r.Engine, r.Workload} }) {
		s.Level0s = append(s.Level0s, &Group[record.Level0]{
			Name: names.next(runs[0].Path, runs[0].Engine.Name),
			Runs: bestOfEach(runs, func(r *record.Level0) any { return []any{r.Filters, r.Cache.Bytes} },
				func(a, b *record.Level0) int { return cmp.Or(trueFirst(a.Hold(), b.Hold()), b.Time.Compare(a.Time)) }),
		})
	}
}

func (s *Study) addStates(all []*record.State) {
	for _, runs := range ComparableStates(all) {
		s.Stores = append(s.Stores, &Group[record.State]{
			Runs: bestOfEach(runs, func(r *record.State) any { return []any{r.Label, r.Keys} },
				func(a, b *record.State) int {
					return cmp.Or(trueFirst(a.Checks.Hold(), b.Checks.Hold()), b.Time.Compare(a.Time))
				}),
		})
	}
	if len(s.Stores) > 1 {
		nameAll(s.Stores, storeTraits, func(stores *Group[record.State]) *string { return &stores.Name })
	}
}

// storeTraits are what stores have in common, the most telling first.
func storeTraits(stores *Group[record.State]) []trait {
	r := stores.Runs[0]
	return []trait{
		{"values", fmt.Sprintf("%s%s of %d bytes", r.Values, units.If(r.Values == "random", " values"), r.ComparedValueSize())},
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
	return cmp.Or(trueFirst(a.Checks.Hold(), b.Checks.Hold()), trueFirst(a.Reads.IsSteady(), b.Reads.IsSteady()),
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
