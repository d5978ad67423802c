package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/engine/engines"
	"getio/experiment/compare"
	"getio/measure"
	"getio/numbers/units"
	"getio/workload"
)

// questionFlags are the flags of a ready-made comparison.
type questionFlags struct {
	asked    compare.Asked
	plan     compare.Plan
	json     bool
	progress progress.Flags
}

func questionCommand(q compare.Question) *cobra.Command {
	f := questionFlags{
		asked: compare.Asked{Question: q, Workers: defaultWorkers(), Engines: engines.All()},
		plan:  compare.Plan{Options: measure.Options{Workload: workload.Workload{Keys: workload.Keys{Seed: 1}}}},
	}
	c := &cobra.Command{
		Use:   q.Name,
		Short: q.Short,
		Long:  q.About + "\n\nThe databases and the records are kept in --dir. If the command is interrupted, run it again to resume.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s is a ready-made comparison, which takes only flags: write ./%s for a directory of that name", q.Name, q.Name)
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flagvalue.Count(flags, &f.asked.Keys, "keys", q.Keys, 1, units.MaxCount, "number of keys in each database")
	flagvalue.Caches(flags, &f.plan.Caches, "", comparedCaches)
	flagvalue.Dir(flags, &f.asked.Dir, "dir", "comparisons", "directory for databases and records")
	getsVar(flags, &f.plan.Options.Gets, comparedGets)
	warmupVar(flags, &f.plan.Options.Warmup, warmupUsage)
	roundsVar(flags, &f.plan.Rounds)
	workersVar(flags, &f.plan.Options.Workers, "concurrent readers")
	flags.BoolVar(&f.json, "json", false, jsonUsage)
	f.progress.Register(c)
	return c
}

func (f *questionFlags) run(c *cobra.Command) error {
	databases, err := f.asked.Databases()
	if err != nil {
		return err
	}
	w, err := f.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	name, text := f.asked.Name, prose(c, f.json)
	if fi, err := os.Stat(name); err == nil && fi.IsDir() {
		fmt.Fprintf(c.ErrOrStderr(), "%s is the question here, not the directory: write ./%s for that\n", name, name)
	}
	say := func(line string) {
		w.Meter.Finish()
		fmt.Fprintln(text, line)
	}
	say(f.asked.About + "\n")
	for _, d := range databases {
		if err := d.Make(c.Context(), w.Load, say); err != nil {
			return err
		}
	}
	f.plan.Warn = func(text string) { warn(c, text) }
	f.plan.Watcher = &progress.Comparison{Follower: w, Command: c, JSON: f.json}
	found, err := f.asked.Compare(c.Context(), f.plan)
	if err != nil {
		return err
	}
	say("")
	return printComparison(c, found, f.asked.Records(), f.json)
}
