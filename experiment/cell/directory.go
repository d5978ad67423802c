package cell

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"getio/engine/readpath"
	"getio/record"
	"getio/system/atomicfile"
	"getio/system/filesystem"
	"getio/system/tempdir"
)

// Directory keeps the records of cells, a file for each cell. A file is complete or not there.
type Directory string

// suffix ends the names of the files.
const suffix = ".jsonl"

// Path returns the file of a cell.
func (d Directory) Path(number int) string {
	return filepath.Join(string(d), fmt.Sprintf("cell-%d%s", number, suffix))
}

// Check refuses a directory that cannot be written to, or made if it is not there.
func (d Directory) Check() error {
	at := filepath.Clean(string(d))
	fi, err := os.Stat(at)
	for ; errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at); fi, err = os.Stat(at) {
		at = filepath.Dir(at)
	}
	if err == nil && !fi.IsDir() {
		err = unix.ENOTDIR
	}
	if err == nil {
		err = unix.Access(at, unix.W_OK)
	}
	return d.unwritable(err)
}

func (d Directory) unwritable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write to the directory %s (%w): choose another with --out", d, atomicfile.Cause(err))
}

// Keep writes the records of a cell, and makes the directory unless it is there.
func Keep[R any](d Directory, number int, records []R) error {
	var text bytes.Buffer
	if err := record.WriteLines(&text, records); err != nil {
		return err
	}
	made, err := tempdir.Create(string(d))
	if err != nil {
		return d.unwritable(err)
	}
	if err := atomicfile.ReplaceDurably(d.Path(number), text.Bytes()); err != nil {
		made.RemoveEmpty()
		return atomicfile.CannotWrite(d.Path(number), "--out", err)
	}
	made.Keep()
	return nil
}

// Has reports whether the directory has the records of a cell, all of whose checks hold. It refuses those
// of another plan.
func (d Directory) Has(p *Plan, number int) (bool, error) {
	k, err := readKept(d.Path(number))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR): // which Check refuses
		return false, nil
	case err != nil:
		return false, err
	case k.of.Plan != p.ID || k.of.Cell != number:
		return false, fmt.Errorf("%s is of another plan or cell: choose another directory with --out", k.path)
	}
	return k.checks.Hold(), nil
}

// kept is the records of a cell in a file.
type kept struct {
	path string
	of   record.PlannedCell
	time time.Time // of the first record
	data []byte
	sets []string // the databases that were read, sorted
	// adapters are those of the state databases that were read, by label.
	adapters map[string]string
	checks   readpath.Checks
}

// readKept reads the file of a cell.
func readKept(path string) (*kept, error) {
	data, err := filesystem.ReadRegular(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w): remove it, and run its cell again", path, atomicfile.Cause(err))
	}
	k := &kept{path: path, data: data, adapters: map[string]string{}}
	for line := range bytes.Lines(data) {
		var r struct {
			Time   time.Time           `json:"time"`
			Label  string              `json:"label"` // of a state database
			Cell   *record.PlannedCell `json:"cell"`
			Checks readpath.Checks     `json:"checks"`
		}
		if err := json.Unmarshal(line, &r); err != nil || r.Cell == nil || !bytes.HasSuffix(line, []byte("\n")) {
			return nil, fmt.Errorf("%s is not the records of a cell, which 'getio run' writes: remove it from the directory", path)
		}
		if k.of.Plan == "" {
			k.of, k.time = *r.Cell, r.Time
		}
		if r.Cell.Plan != k.of.Plan || r.Cell.Cell != k.of.Cell {
			return nil, fmt.Errorf("%s has records of several cells: remove it, and run its cells again", path)
		}
		if k.sets = append(k.sets, r.Cell.Dataset); r.Cell.Adapter != "" {
			k.adapters[r.Label] = r.Cell.Adapter
		}
		k.checks = append(k.checks, r.Checks...)
	}
	if k.of.Plan == "" {
		return nil, fmt.Errorf("%s is empty: remove it, and run its cell again", path)
	}
	slices.Sort(k.sets) // rounds take turns in their order
	k.sets = slices.Compact(k.sets)
	return k, nil
}

// files returns the files of cells in the directory and those below it, in the order of their names.
func (d Directory) files() (paths []string, err error) {
	err = filepath.WalkDir(string(d), func(path string, e fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err == nil && !e.IsDir() && strings.HasPrefix(name, "cell-") && strings.HasSuffix(name, suffix) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the records in %s cannot be read (%w): name the directory that 'getio run' wrote to", d, atomicfile.Cause(err))
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no records of cells: name the directory that 'getio run' wrote to", d)
	}
	return paths, nil
}

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
