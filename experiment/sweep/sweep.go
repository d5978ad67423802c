// Package sweep keeps the results of a sweep of cache sizes in a journal, so that the sweep
// can be resumed.
package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"getio/measure"
	"getio/record"
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

// Kept returns the file in which the results of a sweep are kept, named after the directory dir if out
// is empty, and the results in it.
func Kept(out, dir string) (path string, results []*record.Result, err error) {
	if out == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", nil, err
		}
		out = filepath.Base(abs) + ".sweep.jsonl"
	}
	results, err = (&record.Journal{Path: out}).Results()
	return out, results, err
}

// RequireOwn returns an error if a file of results, chosen by a database's name, holds those of another
// database of that name. dir is the directory that was named.
func RequireOwn(path, dir string, results []*record.Result) error {
	own, err := os.Stat(dir)
	if err != nil {
		return err
	}
	for _, r := range results {
		if other, err := os.Stat(r.Dataset.Path); err == nil && !os.SameFile(own, other) {
			return fmt.Errorf("%s holds results of another database, %s: choose a file for %s with --out", path, r.Dataset.Path, dir)
		}
	}
	return nil
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
