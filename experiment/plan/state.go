package plan

import (
	"context"
	"fmt"

	"getio/experiment/cell"
	"getio/experiment/comparestate"
	"getio/record"
	"getio/statedb"
	"getio/statedb/counter"
)

// StateComparison returns the plan of a comparison of state databases. It starts their adapters, to be greeted.
func StateComparison(ctx context.Context, c *comparestate.Comparison) (*cell.Plan, error) {
	adapters := map[string]statedb.Adapter{}
	for _, s := range c.Stores {
		a, err := statedb.Identify(ctx, s, c.ValueSize, c.Timeout)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		adapters[s.Name] = a
	}
	cells := c.Cells()
	for i := range cells {
		s := cells[i].State
		s.Adapter = adapters[s.Label]
		cells[i].Predicted = comparestate.Needs(s, c.Stores[i%len(c.Stores)])
	}
	return cell.NewPlan(cells)
}

// State measures the store of the cell.
func (t *Task) State(ctx context.Context, progress func(phase string, done, total uint64, unit string)) ([]*record.State, error) {
	s := t.cell().State
	store, adapter, err := comparestate.Find(ctx, s, counter.Allowed())
	if err != nil {
		return nil, err
	}
	if err := t.Out.Check(); err != nil {
		return nil, err
	}
	r, err := comparestate.Measure(ctx, s, store, statedb.Plan{Place: t.Place, Progress: progress})
	if err != nil {
		journal := record.Journal{Runs: "cells", Total: 1}
		return nil, journal.Unfinished(fmt.Errorf("%s: %w", s.Label, err))
	}
	r.Cell = t.Plan.Run(t.Number)
	r.Cell.Adapter = adapter
	return []*record.State{r}, nil
}
