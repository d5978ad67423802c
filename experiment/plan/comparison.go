package plan

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"getio/engine"
	"getio/experiment/cell"
	"getio/experiment/compare"
	"getio/measure/database"
	"getio/record"
	"getio/record/judge"
)

// Comparison returns the plan of a comparison.
func Comparison(ctx context.Context, engines engine.Registry, p compare.Plan) (*cell.Plan, error) {
	p.Fits = elsewhere
	databases, err := p.Open(ctx, engines)
	defer database.CloseAll(databases)
	if err != nil {
		return nil, err
	}
	cells, err := p.Cells(databases)
	if err != nil {
		return nil, err
	}
	return New(ctx, engines, databases, cells, p.Trace)
}

// Compare runs the cell of a comparison, one round of it.
func (t *Task) Compare(ctx context.Context, w compare.Watcher) (results []*record.Result, err error) {
	trace, err := t.cell().OpenFiles(ctx)
	if err != nil {
		return nil, err
	}
	databases, identities, err := t.Open(ctx)
	defer database.CloseAll(databases)
	if err != nil {
		return nil, err
	}
	p := compare.Plan{Watcher: w, Journal: record.Journal{Runs: "runs"}, Trace: trace}
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

// Merge puts the records of a plan's cells together and writes them to a file, as the same experiment on one
// machine does: those of a comparison with its verdicts. It returns the number of cells.
func Merge(from cell.Directory, out string) (cells int, err error) {
	m, err := from.Merge()
	if err != nil {
		return 0, err
	}
	var verdicts [][]byte
	if m.Run.Experiment == cell.Compare {
		set := judge.Set()
		if err := set.Read(string(from), bytes.NewReader(slices.Concat(m.Lines...))); err != nil {
			return 0, err
		}
		if verdicts, err = compared(set.Results); err != nil {
			return 0, err
		}
	}
	return m.Run.Cells, m.Write(out, verdicts)
}
