package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"getio/record"
)

// Chain is what a client's operations on one chaindata directory cost, of targets of one
// popularity, with caches of several sizes.
type Chain struct {
	Name string // short, and no other chain's
	Runs []*record.Chain
}

// Level0 is what numbers of L0 tables cost on one chain, with several caches, with
// filters and without.
type Level0 struct {
	Name string // short, and no other's
	Runs []*record.Level0
}

// client takes in what was measured of clients' operations, by directory.
func (s *Study) client(chains []*record.Chain, level0s []*record.Level0) {
	of := map[string]*Chain{}
	names := namer{}
	for _, r := range chains {
		popularity := ""
		if r.Workload.Zipf > 0 {
			popularity = fmt.Sprintf("Zipf %g", r.Workload.Zipf)
		}
		key := storeOf(r.Path, r.Engine, fmt.Sprint(r.Head, r.Live, popularity))
		if of[key] == nil {
			of[key] = &Chain{Name: names.next(r.Path, popularity, r.Engine.Name)}
			s.Chains = append(s.Chains, of[key])
		}
		of[key].Runs = append(of[key].Runs, r)
	}
	with := map[string]*Level0{}
	names = namer{}
	for _, r := range level0s {
		key := storeOf(r.Path, r.Engine, "")
		if with[key] == nil {
			with[key] = &Level0{Name: names.next(r.Path, r.Engine.Name)}
			s.Level0s = append(s.Level0s, with[key])
		}
		with[key].Runs = append(with[key].Runs, r)
	}
}

// ByOperation groups measurements by operation, as they come, each by cache size.
func ByOperation(runs []*record.Chain) (groups [][]*record.Chain) {
	at := map[string]int{}
	for _, r := range runs {
		name := r.OperationName()
		i, known := at[name]
		if !known {
			i = len(groups)
			at[name] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *record.Chain) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	}
	return groups
}

// storeOf is the same for records of one store in one configuration.
func storeOf(path string, e record.Engine, more string) string {
	key, _ := json.Marshal([]any{path, e, more}) // strings only
	return string(key)
}

// namer gives out names of databases, none twice.
type namer map[string]bool

// next is the name of a client's directory, with as many of the traits as it takes to tell
// it from others, and with a number if these do not do.
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
