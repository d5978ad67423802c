package planned

import (
	"getio/experiment/cell"
)

// Merge puts the records of a plan's cells together and writes them to a file.
func Merge(from cell.Directory, out string) (*cell.Merged, error) {
	m, err := from.Merge()
	if err != nil {
		return nil, err
	}
	return m, m.Write(out, nil)
}
