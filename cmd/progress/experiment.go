package progress

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/experiment/cell"
	"getio/experiment/compare"
	"getio/experiment/comparestate"
	"getio/experiment/plan"
	"getio/experiment/preparation"
	"getio/experiment/sweep"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/report"
)

// Comparison shows a comparison under way.
type Comparison struct {
	*Follower
	Command *cobra.Command
	JSON    bool // print each record
}

// Begin implements compare.Watcher.
func (w *Comparison) Begin(base *database.Database, runs int, gets, least int64, alike []string) {
	w.Reads(base, runs)
	if len(alike) > 0 {
		fmt.Fprintf(w.Command.ErrOrStderr(), "%s are the same database, read with the same options: any difference is chance\n", strings.Join(alike, " and "))
	}
	if gets < least {
		fmt.Fprintf(w.Command.ErrOrStderr(), "%d Gets in each run are too few for a verdict, which needs --gets %d\n", gets, least)
	}
}

// Progress implements compare.Watcher.
func (w *Comparison) Progress(at compare.Step, stage measure.Stage) {
	w.Run.Measure(stage)
	run := at.Side
	if at.Round > 0 {
		run = fmt.Sprintf("round %d of %d, %s", at.Round, at.Rounds, at.Side)
	}
	stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s, %s", at.Cache, at.Caches, humanize.IBytes(uint64(at.CacheBytes)), run, stage.Phase)
	w.Meter.Show(stage.Progress())
}

// Finish implements compare.Watcher.
func (w *Comparison) Finish(r *record.Result) error {
	w.Run.Finish(r)
	return Line(w.Command, w.JSON, r)
}

// FinishRound implements compare.Watcher.
func (w *Comparison) FinishRound(at compare.Step, runs []*record.Result) {
	w.Meter.Finish()
	fmt.Fprintf(Out(w.Command), "cache %d of %d: %s, round %d of %d: %s\n", at.Cache, at.Caches,
		humanize.IBytes(uint64(at.CacheBytes)), at.Round, at.Rounds, report.FinishedRound(runs))
}

// End implements compare.Watcher.
func (w *Comparison) End(j *record.Journal) {
	w.Meter.Finish()
	Reused(w.Command, j)
}

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
		made.States, err = t.State(c.Context(), w.Meter.Step)
	default:
		var s *sweep.Sweep
		if s, err = t.Sweep(c.Context()); err == nil {
			defer s.Database.Close()
			made.Results, err = w.Sweep(c, s, false)
		}
	}
	return made, err
}

// States makes a comparison of state databases and shows it. json prints each record.
func States(c *cobra.Command, p *comparestate.Comparison, json bool) ([]*record.State, error) {
	m := Meter(c)
	defer m.Finish()
	p.Progress = m.Step
	p.Finish = func(r *record.State, kept bool) error {
		if kept {
			fmt.Fprintf(c.ErrOrStderr(), "%s with %s keys: kept in %s, measured %s\n", r.Label, humanize.Comma(int64(r.Keys)), p.Journal.Path, r.Time.Format("2006-01-02 15:04 MST"))
		}
		return Line(c, json, r)
	}
	p.Unmeasured = func(err error) { fmt.Fprintln(c.ErrOrStderr(), err) }
	p.Fail = func(r *record.State) error {
		for _, check := range r.Checks.Failed() {
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s: %s\n", r.Label, check.Name, check.Detail)
		}
		return errors.Join(Line(c, json, r), r.Checks.Err())
	}
	return p.Run(c.Context())
}
