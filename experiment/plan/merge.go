package plan

import (
	"bytes"
	"slices"

	"getio/experiment/cell"
	"getio/record/judge"
)

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
