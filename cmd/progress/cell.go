package progress

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/experiment/cell"
	"getio/experiment/plan"
	"getio/experiment/preparation"
	"getio/record"
)

// Cell makes the datasets of a cell that are missing, runs it, and keeps its records.
func (w *Follower) Cell(c *cobra.Command, t *plan.Task) ([]*record.Result, error) {
	err := t.Make(func(dir string, left *preparation.Preparation) error {
		fmt.Fprintln(c.ErrOrStderr(), left.About(dir, "Making "+dir+" ..."))
		return w.Prepare(c, left)
	})
	if err != nil {
		return nil, err
	}
	results, err := w.measureCell(c, t)
	if err == nil {
		err = t.Keep(results)
	}
	return results, err
}

func (w *Follower) measureCell(c *cobra.Command, t *plan.Task) ([]*record.Result, error) {
	if t.Experiment() == cell.Compare {
		return t.Compare(c.Context(), &Comparison{Follower: w, Command: c})
	}
	s, err := t.Sweep(c.Context())
	if err != nil {
		return nil, err
	}
	defer s.Database.Close()
	return w.Sweep(c, s, false)
}
