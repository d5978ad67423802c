package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/experiment/demo"
	"getio/experiment/sweep"
	"getio/numbers/units"
	"getio/report"
)

type demoFlags struct {
	demo.Options
	json  bool
	watch watchFlags
}

func demoCommand() *cobra.Command {
	f := demoFlags{Options: demo.Options{Workers: defaultWorkers()}}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Measure the published curve in three minutes: a short tour",
		Long: `demo makes the published study's database of 200 million keys, with only the metadata
of its tables on disk. It reads the database through an unmodified Pebble v1.1.5 with
the study's cache sizes and some between them, and prints the published and the measured
figures side by side. It makes fewer Gets than the study; 'getio reproduce small' makes
as many.

With --keys, it loads that many keys through the library's own write path instead, and
sweeps ten cache sizes. Tables, levels and memtable of that tree are smaller than in the
published configuration, so that several levels and two-level indexes exist at this
size: its curve has the shape of a large database's curve, but other figures.

The dataset and the records are kept. Run it again to resume.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.Dir, "dir", "demo", "directory for the dataset and the records")
	countVar(c.Flags(), &f.Keys, "keys", "", 1, units.MaxCount, "load this many keys into a tree of files instead, such as 2M")
	c.Flags().BoolVar(&f.json, "json", false, "print getio.result/1 records instead, one per line")
	f.watch.register(c)
	return c
}

func (f *demoFlags) run(c *cobra.Command) error {
	tour, err := demo.New(f.Options)
	if err != nil {
		return err
	}
	w, err := f.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	fmt.Fprintln(prose(c, f.json), tour.Intro)
	if err := w.prepare(c, tour.Preparation); err != nil {
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

func (f *demoFlags) sweep(c *cobra.Command, tour *demo.Tour, s *sweep.Sweep, w *watch) error {
	results, err := runSweep(c, s, f.json, w)
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
