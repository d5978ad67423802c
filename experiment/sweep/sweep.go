// Package sweep measures I/Os per Get at several cache sizes, a cell for each size, and keeps
// the results in a file of records (record.Journal), so that a sweep can be resumed.
package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"getio/experiment/cell"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/workload/trace"
)

// Sweep is a sweep whose results are kept as they are measured.
type Sweep struct {
	measure.Sweep
	Journal record.Journal
	// Complete fills in what the sweep does not know of a result; may be nil.
	Complete func(*record.Result)
	// Finish is called with each result, measured now or earlier, once it is kept.
	Finish func(r *record.Result, measured bool) error
}

// File is where the results of a sweep are kept.
type File struct {
	Path    string
	Results []*record.Result // in it
	named   bool             // by the user, not after the database
}

// Kept returns the file named out, or named after the directory dir if out is empty.
func Kept(out, dir string) (f File, err error) {
	if f.Path, f.named = out, out != ""; !f.named {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return f, err
		}
		f.Path = filepath.Base(abs) + ".sweep.jsonl"
	}
	f.Results, err = (&record.Journal{Path: f.Path}).Results()
	return f, err
}

// RequireOwn returns an error if a file that was named after a database holds results of another one of
// that name. dir is the directory that was named.
func (f File) RequireOwn(dir string) error {
	if f.named {
		return nil
	}
	own, err := os.Stat(dir)
	if err != nil {
		return err
	}
	for _, r := range f.Results {
		if other, err := os.Stat(r.Dataset.Path); err == nil && !os.SameFile(own, other) {
			return fmt.Errorf("%s holds results of another database, %s: choose a file for %s with --out", f.Path, r.Dataset.Path, dir)
		}
	}
	return nil
}

// Resume has a sweep keep its results in the file, and take from it those that are there.
func (f File) Resume(s *Sweep) *Sweep {
	s.Done, s.Journal = f.Results, record.Journal{Path: f.Path, Runs: "cache sizes", Total: len(s.Caches)}
	return s
}

// Run measures with every cache in turn. The error of a sweep that is not finished says what
// is kept.
func (s *Sweep) Run(ctx context.Context) ([]*record.Result, error) {
	s.Each = func(r *record.Result, measured bool) error {
		if s.Complete != nil {
			s.Complete(r)
		}
		if err := s.Journal.Finish(r, measured); err != nil {
			return err
		}
		return s.Finish(r, measured)
	}
	results, err := s.Sweep.Run(ctx)
	if err != nil {
		return results, s.Journal.Unfinished(err)
	}
	return results, nil
}

// Cells returns the cells of a sweep: like, at each of the cache sizes.
func Cells(like cell.Cell, bytes []int64) (cells []cell.Cell) {
	for _, n := range bytes {
		c := like
		c.CacheBytes = n
		cells = append(cells, c)
	}
	return cells
}

// New returns the sweep that runs cells of one experiment, all of them or some. trace is the one that
// they name, if any.
func New(d *database.Database, cells []cell.Cell, trace *trace.File) *Sweep {
	first := &cells[0]
	s := &Sweep{Sweep: measure.Sweep{Database: d, Options: first.Options(), Trace: trace}}
	layer := first.Device.Layer()
	for _, c := range cells {
		s.Caches = append(s.Caches, c.Open(0, layer))
	}
	return s
}
