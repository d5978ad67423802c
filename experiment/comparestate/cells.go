package comparestate

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"getio/experiment/cell"
	"getio/numbers/units"
	"getio/record"
	"getio/statedb"
	"getio/statedb/stores"
)

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
