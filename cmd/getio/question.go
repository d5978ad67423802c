package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/experiment/compare"
	"getio/measure/database"
	"getio/measure/workload"
	"getio/numbers/units"
	"getio/record"
)

// questionFlags are the flags of a prepared question.
type questionFlags struct {
	keys  uint64
	dir   string
	json  bool
	plan  compare.Plan
	watch watchFlags
}

func questionCommand(q compare.Question) *cobra.Command {
	f := questionFlags{plan: compare.Plan{
		Keys: database.KeySource{Random: workload.Random{Seed: 1}}, Fits: checkMemory, Journal: record.Journal{Runs: "runs"},
	}}
	c := &cobra.Command{
		Use:   q.Name,
		Short: q.Short,
		Long:  q.About + "\n\nDatabases and records are kept in --dir. Run it again to resume.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s is a question, which takes flags only: write ./%s for a directory of that name", q.Name, q.Name)
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, q) },
	}
	flags := c.Flags()
	countVar(flags, &f.keys, "keys", q.Keys, 1, units.MaxCount, "keys of each database")
	cachesVar(flags, &f.plan.Caches, "0.2%,0.5%,1%", comparedCaches)
	flags.StringVar(&f.dir, "dir", "comparisons", "directory for databases and records")
	getsVar(flags, &f.plan.Options.Gets, comparedGets)
	warmupVar(flags, &f.plan.Options.Warmup, comparedWarmup)
	roundsVar(flags, &f.plan.Rounds)
	workersVar(flags, &f.plan.Options.Workers, "concurrent readers")
	flags.BoolVar(&f.json, "json", false, comparedRecords)
	f.watch.register(c)
	return c
}

func (f *questionFlags) run(c *cobra.Command, q compare.Question) error {
	asked := compare.Asked{Question: q, Dir: f.dir, Keys: f.keys, Workers: defaultWorkers(), Engines: engines.All()}
	databases, err := asked.Databases()
	if err != nil {
		return err
	}
	w, err := f.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	if isDirectory(q.Name) {
		fmt.Fprintf(c.ErrOrStderr(), "%s is the question here, not the directory: write ./%s for that\n", q.Name, q.Name)
	}
	f.say(c, "%s\n", q.About)
	for _, d := range databases {
		f.say(c, "%s", d.About(d.Dir, "Making "+d.Dir+" ..."))
		if err := w.prepare(c, d.Preparation); err != nil {
			return err
		}
		sublevels, natural, err := d.Fill(c.Context(), w.watchLoad)
		if err != nil {
			return err
		}
		if natural {
			f.say(c, "%s has %s in L0.", d.Dir, units.Plural(int64(sublevels), "sublevel"))
		}
	}
	f.plan.Watcher = &comparisonWatch{watch: w, command: c, json: f.json}
	all := &compare.Findings{}
	for _, p := range asked.Plans(f.plan) {
		if err := p.Resume(); err != nil {
			return err
		}
		found, err := p.Run(c.Context(), engines.All())
		w.meter.finish()
		if err != nil {
			return asked.Explain(err)
		}
		all.Results = append(all.Results, found.Results...)
		all.Lines = append(all.Lines, found.Lines...)
	}
	f.say(c, "")
	return printComparison(c, all, asked.Records(), f.json)
}

func (f *questionFlags) say(c *cobra.Command, format string, args ...any) {
	if !f.json {
		fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
	}
}
