package statedb

import (
	"slices"

	"getio/record"
)

// Made tells whether a record is what the plan would measure of a store again.
func (p *Plan) Matches(r *record.State, s Store) bool {
	want := p.describe(s)
	return r.Label == s.Name && slices.Equal(r.Command, s.Command) && r.Checks.Hold() &&
		r.Keys == want.Keys && r.Values == want.Values && r.ValueSize == want.ValueSize && r.Seed == want.Seed &&
		r.Lookups == want.Lookups && r.Counted == want.Counted && slices.Equal(p.Shares, shares(r))
}

// shares are the budgets of a record.
func shares(r *record.State) (all []float64) {
	if len(r.Rows) == 0 {
		return nil
	}
	for _, b := range r.Rows[0].Budgets {
		all = append(all, b.Share)
	}
	return all
}
