// Package comparestate compares state databases: it measures every store with every number of keys.
package comparestate

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"getio/experiment/cell"
	"getio/numbers/units"
	"getio/record"
	"getio/statedb"
	"getio/statedb/stores"
	"getio/workload/dataset"
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

// Count says where reads are counted: outside, if that is possible. Without it, flags that need it are refused;
// given reports whether the user set one.
func (c *Comparison) Count(outside bool, given func(flag string) bool) error {
	if err := supported(); err != nil {
		return err
	}
	if c.Counted = record.CountedOutside; outside {
		return nil
	}
	c.Counted = record.CountedInside
	for _, name := range []string{"budgets", "size"} {
		if given(name) {
			return fmt.Errorf("--%s needs reads that are counted from outside, which only root with CAP_SYS_ADMIN can do: run as root, or leave it out", name)
		}
	}
	c.Shares = nil
	return nil
}

// supported returns an error on other kernels than Linux.
func supported() error {
	if runtime.GOOS != "linux" {
		return errors.New("comparing state databases needs Linux: compare engines with 'getio compare', or run getio on Linux")
	}
	return nil
}

// Check refuses a comparison that cannot succeed.
func (c *Comparison) Check() error {
	if len(c.Sizes) == 0 {
		return errors.New("compare-state needs a number of keys: add --keys N, such as --keys 1M")
	}
	if _, err := dataset.NewValues(c.Values, c.ValueSize, c.Seed); err != nil {
		return err
	}
	slices.Sort(c.Overwrite)
	c.Overwrite = slices.Compact(c.Overwrite)
	return nil
}

// Resume reads the records of earlier commands, whose stores are not measured again.
func (c *Comparison) Resume() (err error) {
	c.Journal.Runs = "stores"
	c.done, err = c.Journal.States()
	return err
}

// Run measures all stores, cell by cell. An error of one store is told at once and does not end the others.
// Together with all errors, it returns the finished results.
func (c *Comparison) Run(ctx context.Context) (results []*record.State, err error) {
	cells := c.Cells()
	c.Journal.Total = len(cells)
	var failed []error
	for i := range cells {
		s := c.Stores[i%len(c.Stores)]
		r, err := c.one(ctx, cells[i].State, s)
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
	return results, errors.Join(failed...)
}

func (c *Comparison) one(ctx context.Context, s *cell.State, store statedb.Store) (*record.State, error) {
	p := plan(s, c.Plan)
	if i := slices.IndexFunc(c.done, func(r *record.State) bool { return p.Matches(r, store) }); i >= 0 {
		r := c.done[i]
		return r, errors.Join(c.Journal.Finish(r, false), c.Finish(r, true))
	}
	r, err := Measure(ctx, s, store, c.Plan)
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

// Cells returns the comparison as cells, one for each number of keys and store, without what identifies the
// stores' adapters.
func (c *Comparison) Cells() (cells []cell.Cell) {
	for _, keys := range c.Sizes {
		for _, s := range c.Stores {
			state := &cell.State{
				Label: s.Name, Command: s.Given, Options: s.Options, Question: c.Question,
				DiskBytes: c.Place.Bytes, Timeout: c.Timeout,
			}
			state.Keys = keys
			cells = append(cells, cell.Cell{Experiment: cell.CompareState, State: state})
		}
	}
	return cells
}

// plan returns how the store of a cell is measured here.
func plan(s *cell.State, here statedb.Plan) statedb.Plan {
	here.Question, here.Timeout, here.Place.Bytes = s.Question, s.Timeout, s.DiskBytes
	return here
}

// Needs is what the store of a cell is expected to need. Its time is not predicted.
func Needs(s *cell.State, store statedb.Store) *record.CellNeeds {
	p := plan(s, statedb.Plan{})
	return &record.CellNeeds{MemoryBytes: p.Memory(store, &s.Adapter), DiskBytes: p.Disk(store)}
}

// Measure measures the store of a cell, in a place that here names.
func Measure(ctx context.Context, s *cell.State, store statedb.Store, here statedb.Plan) (*record.State, error) {
	p := plan(s, here)
	return p.Measure(ctx, store)
}

// Find finds the store of a cell on this machine, and refuses one whose adapter is another than that of the
// plan, or whose reads cannot be counted here. outside: reads can be counted from outside a process. identity is
// that of the adapter.
func Find(ctx context.Context, s *cell.State, outside bool) (store statedb.Store, identity string, err error) {
	if err := supported(); err != nil {
		return store, "", err
	}
	if s.Counted == record.CountedOutside && !outside {
		return store, "", fmt.Errorf("the plan counts the reads of %s from outside, which only root with CAP_SYS_ADMIN can do: run as root, or make the plan again without root for the stores that count their own", s.Label)
	}
	if len(s.Command) > 0 {
		if _, err := exec.LookPath(s.Command[0]); err != nil {
			return store, "", fmt.Errorf("cannot run %s, the adapter of %s, on this machine: copy it to the same path, or make the plan again", s.Command[0], s.Label)
		}
	}
	if store, err = stores.Find(s.Label, s.Command, s.Options, outside); err != nil {
		return store, "", err
	}
	here, err := statedb.Identify(ctx, store, s.ValueSize, s.Timeout)
	if err != nil {
		return store, "", fmt.Errorf("%s: %w", s.Label, err)
	}
	if identity, err = here.Identity(); err != nil {
		return store, "", err
	}
	planned, err := s.Adapter.Identity()
	if err == nil && identity != planned {
		err = fmt.Errorf("%s has another adapter here (%s) than in the plan (%s): use that one, or make the plan again", s.Label, about(&here), about(&s.Adapter))
	}
	return store, identity, err
}

// about describes an adapter in a few words, with the beginnings of the sums of its files.
func about(a *statedb.Adapter) string {
	words := append([]string{a.Name, a.Version, a.Configuration}, a.Patches...)
	for _, sum := range a.Files {
		words = append(words, fmt.Sprintf("%.12s", sum))
	}
	return fmt.Sprintf("%.200s", units.OneLine(strings.Join(words, ", ")))
}
