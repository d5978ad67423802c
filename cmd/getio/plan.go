package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/experiment/cell"
	"getio/experiment/plan"
	"getio/experiment/reproduce"
	"getio/load/growth"
	"getio/report"
	"getio/system/atomicfile"
)

func planCommand() *cobra.Command {
	return groupCommand(cobra.Command{
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
	}, planSweepCommand(), planCompareCommand(), planReproduceCommand(), planStateCommand())
}

// planOf returns the command that plans the experiment of another one, which is used in the same way. The caller
// registers the experiment's flags; newPlan makes its plan, which is to be written to the file out.
func planOf(use string, args cobra.PositionalArgs, newPlan func(c *cobra.Command, args []string, out string) (*cell.Plan, error)) *cobra.Command {
	var out string
	name, _, _ := strings.Cut(use, " ")
	c := &cobra.Command{
		Use:   use,
		Short: "Plan what " + name + " measures",
		Long:  fmt.Sprintf("plan %s writes the runs of 'getio %s' as cells; see 'getio %s --help'.", name, name, name),
		Args:  args,
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usage.Errorf("plan needs a file to write to: add --out FILE, such as --out plan.jsonl")
			}
			if err := atomicfile.RequireReplaceable(out, "--out"); err != nil {
				return err
			}
			p, err := newPlan(c, args, out)
			if err == nil {
				err = p.Write(out)
			}
			if err != nil {
				return err
			}
			return report.Plan(c.OutOrStdout(), p.Outline())
		},
	}
	c.Flags().VarP(flagvalue.Path(&out, flagvalue.KindFile), "out", "o", "file to write the plan to (required)")
	return c
}

func planSweepCommand() *cobra.Command {
	var s sweepFlags
	c := planOf("sweep DIR", usage.Directory, func(c *cobra.Command, args []string, out string) (p *cell.Plan, err error) {
		options, trace, err := s.parse(c)
		if err != nil {
			return nil, err
		}
		err = onDatabase(func(c *cobra.Command, dir string) error {
			p, err = plan.Sweep(c.Context(), engines.All(), plan.Swept{
				Dir: dir, Out: out, Choice: s.choice, Caches: s.cache,
			}, s.cell(options), trace)
			return err
		}, nil)(c, args)
		return p, err
	})
	c.ValidArgsFunction = oneDirectory
	s.registerSweep(c, "")
	return c
}

// planCompareCommand plans no ready-made comparisons: they have databases of their own, which compare makes.
func planCompareCommand() *cobra.Command {
	var f compareFlags
	c := planOf(comparedSides, f.sides, func(c *cobra.Command, _ []string, out string) (*cell.Plan, error) {
		f.plan.Journal.Path = out // outside of the databases, like records
		if err := f.parse(c); err != nil {
			return nil, err
		}
		return plan.Comparison(c.Context(), engines.All(), f.plan)
	})
	c.ValidArgsFunction = directories
	f.registerCompare(c)
	return c
}

func planReproduceCommand() *cobra.Command {
	var p reproduce.Plan
	c := planOf(reproduced, published, func(c *cobra.Command, args []string, _ string) (*cell.Plan, error) {
		return plan.Reproduction(c.Context(), args[0], p, plan.Calibrate)
	})
	c.ValidArgs = growth.Names
	registerReproduction(c, &p)
	return c
}

func planStateCommand() *cobra.Command {
	var f stateFlags
	c := planOf(comparedStates, usage.NoArguments, func(c *cobra.Command, _ []string, _ string) (*cell.Plan, error) {
		if err := f.parse(c); err != nil {
			return nil, err
		}
		return plan.StateComparison(c.Context(), &f.comparison)
	})
	f.register(c)
	return c
}
