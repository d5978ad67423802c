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
func (w *Follower) Cell(c *cobra.Command, t *plan.Task) (*record.Set, error) {
	err := t.Make(func(dir string, left *preparation.Preparation) error {
		fmt.Fprintln(Out(c), left.About(dir, "Making "+dir+" ..."))
		return w.Prepare(c, left)
	})
	if err != nil {
		return nil, err
	}
	made, err := w.measureCell(c, t)
	if err != nil {
		return nil, err
	}
	return made, t.Keep(made)
}

func (w *Follower) measureCell(c *cobra.Command, t *plan.Task) (made *record.Set, err error) {
	made = &record.Set{}
	switch t.Experiment() {
	case cell.Compare:
		made.Results, err = t.Compare(c.Context(), &Comparison{Follower: w, Command: c})
	case cell.CompareState:
		defer w.Meter.Finish()
		made.States, err = t.State(c.Context(), stage(w.Meter))
	default:
		made.Results, err = w.sweepCell(c, t)
	}
	return made, err
}

func (w *Follower) sweepCell(c *cobra.Command, t *plan.Task) ([]*record.Result, error) {
	s, err := t.Sweep(c.Context())
	if err != nil {
		return nil, err
	}
	defer s.Database.Close()
	return w.Sweep(c, s, false)
}
