package statedb

import (
	"slices"

	"getio/record"
)

// Matches reports whether a record is the result of measuring the store by this plan.
func (p *Plan) Matches(r *record.State, s Store) bool {
	want := p.describe(s)
	return r.Schema == record.StateSchema && r.Label == s.Name && slices.Equal(r.Command, s.Command) &&
		slices.Equal(r.AdapterOptions, s.Options) && r.Checks.Hold() &&
		r.Keys == want.Keys && r.Values == want.Values && r.ValueSize == want.ValueSize && r.Seed == want.Seed &&
		r.Lookups == want.Lookups && r.OpeningLookups > 0 && r.Counted == want.Counted && slices.Equal(p.Shares, shares(r)) &&
		slices.EqualFunc(p.Overwrite, r.Worn, func(share float64, w record.StateWorn) bool { return share == w.Share })
}

// shares returns the budgets of a record.
func shares(r *record.State) (all []float64) {
	if len(r.Rows) == 0 {
		return nil
	}
	for _, b := range r.Rows[0].Budgets {
		all = append(all, b.Share)
	}
	return all
}
