package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/engine/engines"
	"getio/experiment/reproduce"
	"getio/load/growth"
	"getio/numbers/units"
	"getio/report"
)

type reproduceFlags struct {
	plan     reproduce.Plan
	json     bool
	progress progress.Flags
}

// registerReproduction registers what a reproduction and its plan share.
func registerReproduction(c *cobra.Command, p *reproduce.Plan) {
	*p = reproduce.Plan{MoreRuns: reproduce.FurtherRuns, Engines: engines.All(), Workers: defaultWorkers()}
	flagvalue.Dir(c.Flags(), &p.Dir, "dir", "reproduce", "directory for datasets and records")
	flagvalue.Var(c.Flags(), &p.Caches, "cache", "sizes", "", flagvalue.ListOf(units.ParseCache), "cache sizes, comma-separated (default: the published ones)")
	flagvalue.Count(c.Flags(), &p.Gets, "gets", "", 1, units.MaxCount, "measured Gets per run (default: 10M, as published)")
}

// published requires the name of a published database.
func published(_ *cobra.Command, args []string) error { return reproduce.CheckName(args) }

const reproduced = "reproduce small|medium|large"

func reproduceCommand() *cobra.Command {
	var f reproduceFlags
	c := &cobra.Command{
		Use:   reproduced,
		Short: "Repeat the published study's runs on one of its databases",
		Long: `reproduce repeats the runs of a published study: the same databases (200 million, 2
billion or 20 billion keys), cache sizes and number of Gets, with an unmodified Pebble
v1.1.5. It prints published and measured figures side by side.

Only the tables' metadata is on disk, unless --real is given. Run the same command again
to resume.`,
		Example: `  getio reproduce small
  getio reproduce large --cache 2600MiB,4500MiB,16GiB --out large.jsonl`,
		Args: published, ValidArgs: growth.Names,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	registerReproduction(c, &f.plan)
	flags, plan := c.Flags(), &f.plan
	flags.BoolVar(&plan.Real, "real", false, "write complete tables: 22 GB, 224 GB and 2.2 TB")
	flags.VarP(flagvalue.Path(&plan.Out, flagvalue.KindFile), "out", "o", "file to keep records in; sizes whose records are there already are skipped (default: in --dir)")
	flags.BoolVar(&f.json, "json", false, "print records instead of text")
	f.progress.Register(c)
	return c
}

func (f *reproduceFlags) run(c *cobra.Command, name string) error {
	plan := &f.plan
	plan.Name = name
	left, err := plan.Prepare()
	if err != nil {
		return err
	}
	w, err := f.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	fmt.Fprintln(prose(c, f.json), left.About(plan.Dataset(), "Making the published database "+name+" in "+plan.Dataset()+" ..."))
	if err := w.Prepare(c, left); err != nil {
		return err
	}
	s, err := plan.Open(c.Context())
	if err != nil {
		return err
	}
	defer s.Database.Close()
	results, err := w.Sweep(c, s, f.json)
	if err != nil {
		return err
	}
	if err := report.WithCurve(prose(c, f.json), report.Reproduction, results); err != nil {
		return err
	}
	for _, why := range plan.LeftOut {
		fmt.Fprintln(prose(c, f.json), why)
	}
	fmt.Fprintf(prose(c, f.json), "\nRecords: %s\n", plan.Out)
	return believable(results...)
}
