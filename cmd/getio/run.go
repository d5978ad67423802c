package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/experiment/cell"
	"getio/experiment/plan"
	"getio/numbers/units"
)

func cellCommand() *cobra.Command {
	t := plan.Task{Number: -1, Out: "cells", Engines: engines.All(), Workers: defaultWorkers()}
	var f progress.Flags
	c := &cobra.Command{
		Use:   "run PLAN.jsonl",
		Short: "Run one cell of a plan",
		Long: `run runs one cell of a plan. It writes the records to a directory once the cell is
complete. If they are there already, it skips the cell.

--data is the directory that contains the datasets. They must have the same names as when
the plan was made. If a dataset is missing and the plan says how to make it, run makes it.
If a directory has the right name but holds another dataset, run fails. A cell of compare-state
needs no dataset: it makes its own store, in the directory that --disk names.`,
		Example: `  getio run plan.jsonl --cell 3 --data data
  sbatch --array=0-7 --wrap 'getio run plan.jsonl --data /shared/data'`,
		Args: usage.One("plan"), ValidArgsFunction: onePlan,
		RunE: func(c *cobra.Command, args []string) error { return runCell(c, &t, args[0], &f) },
	}
	flags := c.Flags()
	flagvalue.Count(flags, &t.Number, "cell", "", 0, units.MaxCount, "number of the cell (default: SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX)")
	flagvalue.Dir(flags, &t.Data, "data", ".", "directory of the datasets")
	flags.VarP(flagvalue.Path((*string)(&t.Out), flagvalue.KindDir), "out", "o", "directory for records")
	flagvalue.TempDir(flags, &t.Place.ImageIn, "disk", "directory for the stores of compare-state")
	f.Register(c)
	return c
}

func runCell(c *cobra.Command, t *plan.Task, path string, f *progress.Flags) (err error) {
	if t.Plan, err = cell.ReadPlan(path); err != nil {
		return err
	}
	from, err := t.Choose(os.Getenv)
	if err != nil {
		return usage.Wrap(err)
	}
	if from != "" {
		fmt.Fprintf(progress.Out(c), "Cell %d, from %s\n", t.Number, from)
	}
	if done, err := t.Done(); done || err != nil {
		if done {
			_, err = fmt.Fprintf(c.OutOrStdout(), "Cell %d is there already: %s\n", t.Number, t.Path())
		}
		return err
	}
	w, err := f.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	t.Place.State = counterState
	made, err := w.Cell(c, t)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "Cell %d: %s\n", t.Number, t.Path()); err != nil {
		return err
	}
	return made.Checks().Err()
}

func mergeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge DIR --out FILE",
		Short: "Combine the records of all cells of a plan",
		Long: `merge collects the records that 'getio run' wrote to a directory, and writes them to one
file in the order of the cells. All records must come from the same plan, the same version
of getio, and the same datasets and adapters. Their self-checks must have passed. If cells
are missing, merge names them and writes nothing.`,
		Example: "  getio merge cells -o all.jsonl",
		Args:    usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usage.Errorf("merge needs a file to write to: add --out FILE, such as --out all.jsonl")
			}
			cells, err := plan.Merge(cell.Directory(args[0]), out)
			if err == nil {
				_, err = fmt.Fprintf(c.OutOrStdout(), "Records of %s: %s\n", units.Plural(int64(cells), "cell"), out)
			}
			return err
		},
	}
	c.Flags().VarP(flagvalue.Path(&out, flagvalue.KindFile), "out", "o", "file to write (required)")
	return c
}
