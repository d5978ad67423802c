package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/follow"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/experiment/cell"
	"getio/experiment/planned"
	"getio/experiment/prepare"
	"getio/numbers/units"
	"getio/record"
)

type cellFlags struct {
	cell   int // -1: from the environment
	data   string
	out    string
	follow follow.Flags
}

func cellCommand() *cobra.Command {
	f := cellFlags{cell: -1}
	c := &cobra.Command{
		Use:   "run PLAN",
		Short: "Run one cell of a plan",
		Long: `run makes one cell of a plan and writes its records, as a whole, to a directory. A cell
that is there is not made again.

The datasets lie in --data, under the names that they had when the plan was made. One that
the plan can describe is made if it is missing; another one of its name is refused.`,
		Example: `  getio run plan.jsonl --cell 3 --data data
  sbatch --array=0-7 --wrap 'getio run plan.jsonl --data /shared/data'`,
		Args: usage.One("plan"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	flags := c.Flags()
	flagvalue.Count(flags, &f.cell, "cell", "", 0, units.MaxCount, "number of the cell (default: SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX)")
	flags.StringVar(&f.data, "data", ".", "directory of the datasets")
	flags.StringVarP(&f.out, "out", "o", "cells", "directory for records")
	f.follow.Register(c)
	return c
}

func (f *cellFlags) run(c *cobra.Command, path string) error {
	p, err := cell.ReadPlan(path)
	if err != nil {
		return err
	}
	number, from, err := p.Number(f.cell, os.Getenv)
	if err != nil {
		return usage.Wrap(err)
	}
	if err := p.RequireThisGetio(); err != nil {
		return err
	}
	if from != "" {
		fmt.Fprintf(c.ErrOrStderr(), "Cell %d, from %s\n", number, from)
	}
	t := &planned.Task{Plan: p, Number: number, Data: f.data, Out: cell.Directory(f.out), Engines: engines.All(), Workers: defaultWorkers()}
	if done, err := t.Done(); done || err != nil {
		if done {
			_, err = fmt.Fprintf(c.OutOrStdout(), "Cell %d is there already: %s\n", number, t.Out.Path(number))
		}
		return err
	}
	w, err := f.follow.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	err = t.Make(func(dir string, left *prepare.Preparation) error {
		fmt.Fprintln(c.ErrOrStderr(), left.About(dir, "Making "+dir+" ..."))
		return w.Prepare(c, left)
	})
	if err != nil {
		return err
	}
	results, err := f.measure(c, t, w)
	if err == nil {
		err = t.Keep(results)
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "Cell %d: %s\n", number, t.Out.Path(number)); err != nil {
		return err
	}
	return believable(results...)
}

func (f *cellFlags) measure(c *cobra.Command, t *planned.Task, w *follow.Follower) ([]*record.Result, error) {
	if t.Experiment() == cell.Compare {
		return t.Compare(c.Context(), &follow.Comparison{Follower: w, Command: c})
	}
	s, err := t.Sweep(c.Context())
	if err != nil {
		return nil, err
	}
	defer s.Database.Close()
	return w.Sweep(c, s, false)
}

func mergeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge DIR -o FILE",
		Short: "Put the records of all cells of a plan together",
		Long: `merge writes the records that 'getio run' left in a directory to one file, in the order of
the cells. It refuses records of different plans, datasets or versions of getio, and
those whose self-checks failed, and it names the cells that are missing.`,
		Example: "  getio merge cells -o all.jsonl",
		Args:    usage.Directory,
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usage.Errorf("merge needs a file to write to: add --out FILE, such as --out all.jsonl")
			}
			m, err := planned.Merge(cell.Directory(args[0]), out)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "Records of %s: %s\n", units.Plural(int64(m.Run.Cells), "cell"), out)
			return err
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "file to write (required)")
	return c
}
