package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/experiment/cell"
	"getio/experiment/plan"
	"getio/report"
	"getio/system/atomicfile"
)

func planCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "plan",
		Short: "Split an experiment into cells, which a scheduler can run",
		Long: `plan writes an experiment as independent cells, one per line. 'getio run' runs one of
them, on any machine that has the same version of getio, and 'getio merge' combines their
records.

For each cell, plan predicts how much memory and disk space the cell needs and, except for
compare-state, how long it takes.`,
		Example: `  getio plan sweep data/10m -o plan.jsonl
  getio run plan.jsonl --cell 0 --data data
  getio merge cells -o all.jsonl`,
		Args: usage.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(planSweepCommand(), planCompareCommand(), planReproduceCommand(), planStateCommand())
	return c
}

// planOf makes the command of an experiment the one that plans it. Its file of records, out, is that of
// the plan.
func planOf(c *cobra.Command, out *string, newPlan func(c *cobra.Command, arg []string) (*cell.Plan, error)) *cobra.Command {
	all := c.Flags()
	c.ResetFlags()
	all.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains([]string{"json", "metrics-addr", "time", "benchfmt", "real", "disk"}, f.Name) {
			c.Flags().AddFlag(f)
		}
	})
	name := c.Name()
	c.Short = "Plan what " + name + " measures"
	c.Long = fmt.Sprintf("plan %s writes the runs of 'getio %s' as cells; see 'getio %s --help'.", name, name, name)
	c.Example = ""
	c.Flags().Lookup("out").Usage = "file to write the plan to (required)"
	c.RunE = func(c *cobra.Command, args []string) error {
		if *out == "" {
			return usage.Errorf("plan needs a file to write to: add --out FILE, such as --out plan.jsonl")
		}
		if err := atomicfile.RequireReplaceable(*out, "--out"); err != nil {
			return err
		}
		p, err := newPlan(c, args)
		if err == nil {
			err = p.Write(*out)
		}
		if err != nil {
			return err
		}
		return report.Plan(c.OutOrStdout(), p)
	}
	return c
}

func planSweepCommand() *cobra.Command {
	s := &sweepFlags{}
	return planOf(s.command(), &s.out, func(c *cobra.Command, args []string) (p *cell.Plan, err error) {
		options, ask, err := s.parse(c)
		if err != nil {
			return nil, err
		}
		err = onDatabase(func(c *cobra.Command, dir string) error {
			p, err = plan.Sweep(c.Context(), engines.All(), plan.Swept{
				Dir: dir, Out: s.out, Choice: s.choice, Caches: s.cache,
			}, s.cell(options, ask), ask.Trace)
			return err
		}, nil)(c, args)
		return p, err
	})
}

func planCompareCommand() *cobra.Command {
	f := &compareFlags{} // ready-made comparisons have databases of their own, which compare makes
	c := f.command()
	c.Use = "compare DIR DIR..."
	return planOf(c, &f.plan.Journal.Path, func(c *cobra.Command, _ []string) (*cell.Plan, error) {
		if err := f.parse(c); err != nil {
			return nil, err
		}
		return plan.Comparison(c.Context(), engines.All(), f.plan)
	})
}

func planReproduceCommand() *cobra.Command {
	f := newReproduceFlags()
	return planOf(f.command(), &f.plan.Out, func(c *cobra.Command, args []string) (*cell.Plan, error) {
		return plan.Reproduction(c.Context(), args[0], f.plan, plan.Calibrate)
	})
}

func planStateCommand() *cobra.Command {
	f := &stateFlags{}
	return planOf(f.command(), &f.comparison.Journal.Path, func(c *cobra.Command, _ []string) (*cell.Plan, error) {
		if err := f.parse(c); err != nil {
			return nil, err
		}
		return plan.StateComparison(c.Context(), &f.comparison)
	})
}
