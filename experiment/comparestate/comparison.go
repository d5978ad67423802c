// Package comparestate compares state databases: it measures every store with every number of keys.
package comparestate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"getio/dataset"
	"getio/numbers/units"
	"getio/outside/statedb"
	"getio/record"
)

// Comparison measures every store with every number of keys.
type Comparison struct {
	statedb.Plan          // but Keys
	Sizes        []uint64 // numbers of keys
	Stores       []statedb.Store
	Journal      record.Journal
	// Finish is called with each result. kept: it is from an earlier command.
	Finish func(r *record.State, kept bool) error
	// Fail is called with a result that failed a self-check. It returns the error.
	Fail func(*record.State) error
	// Unmeasured is called with the error of a store, if others follow.
	Unmeasured func(err error)

	done []*record.State // of an earlier command
}

// Limits of a comparison.
const (
	LeastKeys     = 1000 // make a tree
	MostKeys      = 1_000_000_000
	LeastLookups  = 2 // one has no interval
	MostLookups   = 10_000_000
	MostValueSize = 32 << 10 // a frame holds a thousand
)

// ParseShares reads shares of a store such as 1%,5%, or none.
func ParseShares(list string) (shares []float64, err error) {
	if list == "none" {
		return nil, nil
	}
	for _, text := range strings.Split(list, ",") {
		share, err := units.ParseShare(text)
		if err != nil || share == 0 || share > 1 {
			return nil, fmt.Errorf("%q: want a share of the store such as 5%%, up to 100%%, or none", text)
		}
		shares = append(shares, share)
	}
	return shares, nil
}

// Check refuses a comparison that cannot succeed, and reads the records of earlier commands.
func (c *Comparison) Check() (err error) {
	if len(c.Sizes) == 0 {
		return errors.New("compare-state needs a number of keys: add --keys N, such as --keys 1M")
	}
	if _, err := dataset.NewValues(c.Values, c.ValueSize, c.Seed); err != nil {
		return err
	}
	if c.Counted == record.CountedInside {
		c.Shares = nil
	}
	slices.Sort(c.Overwrite)
	c.Overwrite = slices.Compact(c.Overwrite)
	c.Journal.Runs = "stores"
	c.done, err = c.Journal.States()
	return err
}

// Run measures all stores. An error of one store is told at once and does not end the others.
// Together with all errors, it returns the finished results.
func (c *Comparison) Run(ctx context.Context) (results []*record.State, err error) {
	c.Journal.Total = len(c.Sizes) * len(c.Stores)
	var failed []error
	for _, keys := range c.Sizes {
		for _, s := range c.Stores {
			r, err := c.one(ctx, keys, s)
			if err := ctx.Err(); err != nil {
				return results, errors.Join(append(failed, c.Journal.Unfinished(err))...)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", s.Name, err)
				failed = append(failed, err)
				if len(failed)+len(results) < c.Journal.Total {
					c.Unmeasured(err) // the others may take hours
				}
				continue
			}
			results = append(results, r)
		}
	}
	return results, errors.Join(failed...)
}

func (c *Comparison) one(ctx context.Context, keys uint64, s statedb.Store) (*record.State, error) {
	plan := c.Plan
	plan.Keys = keys
	if i := slices.IndexFunc(c.done, func(r *record.State) bool { return plan.Matches(r, s) }); i >= 0 {
		r := c.done[i]
		return r, errors.Join(c.Journal.Finish(r, false), c.Finish(r, true))
	}
	r, err := plan.Measure(ctx, s)
	if err != nil {
		return nil, err
	}
	if !r.Checks.Hold() {
		return nil, c.Fail(r)
	}
	if err := c.Journal.Finish(r, true); err != nil {
		return nil, err
	}
	return r, c.Finish(r, false)
}
