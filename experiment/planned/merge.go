package planned

import (
	"bytes"
	"slices"

	"getio/experiment/cell"
	"getio/record"
)

// Merge puts the records of a plan's cells together and writes them to a file, as the same experiment on one
// machine does: those of a comparison with its verdicts.
func Merge(from cell.Directory, out string) (*cell.Merged, error) {
	m, err := from.Merge()
	if err != nil {
		return nil, err
	}
	var verdicts [][]byte
	if m.Run.Experiment == cell.Compare {
		var set record.Set
		if err := set.Read(string(from), bytes.NewReader(slices.Concat(m.Lines...))); err != nil {
			return nil, err
		}
		if verdicts, err = compared(set.Results); err != nil {
			return nil, err
		}
	}
	return m, m.Write(out, verdicts)
}
