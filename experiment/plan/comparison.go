package plan

import (
	"context"
	"errors"

	"getio/engine"
	"getio/experiment/cell"
	"getio/experiment/compare"
	"getio/record"
)

// Comparison returns the plan of a comparison.
func Comparison(ctx context.Context, engines engine.Registry, p compare.Plan) (*cell.Plan, error) {
	p.Fits = elsewhere
	databases, err := p.Open(ctx, engines)
	var sources []Source
	for i, d := range databases {
		defer d.Close()
		sources = append(sources, Source{Database: d, Dir: p.Sides[i].Dir})
	}
	if err != nil {
		return nil, err
	}
	cells, err := p.Cells(databases)
	if err != nil {
		return nil, err
	}
	return New(ctx, engines, sources, cells, p.Trace)
}

// Compare runs the cell of a comparison, one round of it.
func (t *Task) Compare(ctx context.Context, w compare.Watcher) (results []*record.Result, err error) {
	trace, err := t.cell().OpenFiles(ctx)
	if err != nil {
		return nil, err
	}
	databases, identities, err := t.Open(ctx)
	for _, d := range databases {
		defer d.Close()
	}
	if err != nil {
		return nil, err
	}
	p := compare.Plan{Watcher: w, Journal: record.Journal{Runs: "runs"}}
	p.Trace = trace
	p.Complete = func(side int, r *record.Result) { r.Cell = t.run(identities[side]) }
	found, err := p.RunCells(ctx, databases, t.Plan.Cells[t.Number:t.Number+1])
	if err != nil {
		return nil, err
	}
	return found.Results, nil
}

// compared returns what follows from the records of all rounds of a comparison.
func compared(results []*record.Result) (lines [][]byte, err error) {
	runs := map[string]int{}
	for _, r := range results {
		if r.ComparisonRun == nil {
			return nil, errors.New("a record of a comparison lacks its side: run its cell again")
		}
		runs[r.ComparisonRun.Side]++
	}
	for _, n := range runs {
		if n*len(runs) != len(results) {
			return nil, errors.New("the sides of a comparison do not have the same number of runs: run its cells again")
		}
	}
	for _, line := range compare.Together(results).Lines {
		text, err := record.Line(line)
		if err != nil {
			return nil, err
		}
		lines = append(lines, text)
	}
	return lines, nil
}
