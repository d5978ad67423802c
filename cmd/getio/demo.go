package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/experiment/demo"
	"getio/experiment/sweep"
	"getio/numbers/units"
	"getio/report"
)

type demoFlags struct {
	demo.Options
	json     bool
	progress progress.Flags
}

func demoCommand() *cobra.Command {
	f := demoFlags{Options: demo.Options{Workers: defaultWorkers()}}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Repeat a published measurement",
		Long: `demo repeats a published measurement of I/Os per Get at several cache sizes, in about a
minute and with fewer Gets than the published study made. The database of 200 million keys
takes 160 MB, because only the tables' metadata is on disk.

If the command is interrupted, run it again to resume.`,
		Args: usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flagvalue.Dir(c.Flags(), &f.Dir, "dir", "demo", "directory for the dataset and the records")
	flagvalue.Count(c.Flags(), &f.Keys, "keys", "", 1, units.MaxCount, "use a small database with this many keys, such as 2M, instead of the published one")
	c.Flags().BoolVar(&f.json, "json", false, "print records instead of text")
	f.progress.Register(c)
	return c
}

func (f *demoFlags) run(c *cobra.Command) error {
	tour, err := demo.New(f.Options)
	if err != nil {
		return err
	}
	w, err := f.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	fmt.Fprintln(prose(c, f.json), tour.Intro)
	if err := w.Prepare(c, tour.Preparation); err != nil {
		return err
	}
	fmt.Fprintln(prose(c, f.json), tour.Reading)
	s, err := tour.Open(c.Context())
	if err != nil {
		return err
	}
	defer s.Database.Close()
	return f.sweep(c, tour, s, w)
}

func (f *demoFlags) sweep(c *cobra.Command, tour *demo.Tour, s *sweep.Sweep, w *progress.Follower) error {
	results, err := w.Sweep(c, s, f.json)
	if err != nil {
		return err
	}
	table := report.Sweep
	if tour.Published {
		table = report.Reproduction
	}
	if err := report.WithCurve(prose(c, f.json), table, results); err != nil {
		return err
	}
	fmt.Fprintf(prose(c, f.json), "\n%s\n\nRecords: %s\n", tour.Closing, tour.Records)
	return believable(results...)
}
