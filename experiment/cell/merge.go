package cell

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"getio/engine/readpath"
	"getio/record"
	"getio/system/atomicfile"
)

// Merged is the records of all cells of a plan.
type Merged struct {
	Run   record.PlannedCell // of the first cell
	Lines [][]byte           // in the order of the cells, as they were written
	files []string
}

// Merge puts the records of a plan's cells together. Of a cell that was run several times, it takes the run
// that ended first. It refuses records that do not belong together or whose checks failed, and
// an experiment that lacks cells.
func (d Directory) Merge() (*Merged, error) {
	paths, err := d.files()
	if err != nil {
		return nil, err
	}
	var all []*kept
	for _, path := range paths {
		k, err := readKept(path)
		if err != nil {
			return nil, err
		}
		if err := k.belongs(all); err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *kept) int {
		return cmp.Or(cmp.Compare(a.of.Cell, b.of.Cell), a.time.Compare(b.time), bytes.Compare(a.data, b.data))
	})
	all = slices.CompactFunc(all, func(a, b *kept) bool { return a.of.Cell == b.of.Cell })
	if of := all[0].of.Cells; len(all) < of {
		return nil, fmt.Errorf("%d of %d cells are missing in %s: run %s", of-len(all), of, d, strings.Join(missing(all), ", "))
	}
	m := &Merged{Run: all[0].of, files: paths}
	for _, k := range all {
		for line := range bytes.Lines(k.data) {
			m.Lines = append(m.Lines, line)
		}
	}
	return m, nil
}

// belongs refuses records that cannot be merged with those of other files.
func (k *kept) belongs(to []*kept) error {
	a := k.of
	switch {
	case a.Cell < 0 || a.Cell >= a.Cells:
		return fmt.Errorf("%s is of cell %d of %d: remove it", k.path, a.Cell, a.Cells)
	case !k.checks.Hold():
		failed := k.checks.Failed()[0]
		return fmt.Errorf("%s: %w (%s: %s): run cell %d again", k.path, readpath.ErrChecksFailed, failed.Name, failed.Detail, a.Cell)
	}
	for _, other := range to {
		if what := k.differs(other); what != "" {
			return fmt.Errorf("%s and %s are %s and do not belong together: remove the one that is not of this experiment", other.path, k.path, what)
		}
	}
	return nil
}

// differs says in which way the records of two files are not of one experiment, as the end of a sentence.
func (k *kept) differs(from *kept) string {
	a, b := k.of, from.of
	if a.Getio != b.Getio {
		return fmt.Sprintf("made by different getios (%s, %s)", a.Getio, b.Getio)
	}
	if !slices.Equal(k.sets, from.sets) {
		return "of different datasets"
	}
	for label, adapter := range k.adapters {
		if other, both := from.adapters[label]; both && other != adapter {
			return fmt.Sprintf("made with different adapters under the name %.100s", label)
		}
	}
	if a.Plan != b.Plan || a.Cells != b.Cells || a.Experiment != b.Experiment {
		return fmt.Sprintf("of different plans (%.12s, %.12s)", a.Plan, b.Plan)
	}
	return ""
}

// missing returns the numbers of the cells that are not there, as ranges such as 3-5. all is sorted.
func missing(all []*kept) (ranges []string) {
	from := 0
	gap := func(to int) { // cells from..to-1
		switch {
		case to == from+1:
			ranges = append(ranges, strconv.Itoa(from))
		case to > from:
			ranges = append(ranges, fmt.Sprintf("%d-%d", from, to-1))
		}
	}
	for _, k := range all {
		gap(k.of.Cell)
		from = k.of.Cell + 1
	}
	gap(all[0].of.Cells)
	return ranges
}

// Write writes the records, and others that follow from them, to a file.
func (m *Merged) Write(path string, more [][]byte) error {
	if err := atomicfile.CheckOutput(path, "--out", m.files); err != nil {
		return err
	}
	data := bytes.Join(append(slices.Clone(m.Lines), more...), nil)
	if err := atomicfile.ReplaceDurably(path, data); err != nil {
		return atomicfile.CannotWrite(path, "--out", err)
	}
	return nil
}
