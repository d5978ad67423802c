package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/engine/engines"
	"getio/experiment/cell"
	"getio/experiment/compare"
	"getio/report"
	"getio/system/atomicfile"
)

type compareFlags struct {
	runFlags
	plan     compare.Plan
	benchfmt string
}

// registerCompare registers what a comparison and its plan share.
func (f *compareFlags) registerCompare(c *cobra.Command) {
	f.registerRuns(c, comparedGets, "seed of the keys in the first round")
	flagvalue.Caches(c.Flags(), &f.plan.Caches, "", comparedCaches)
	roundsVar(c.Flags(), &f.plan.Rounds)
}

// sides reads the configurations.
func (f *compareFlags) sides(_ *cobra.Command, args []string) (err error) {
	f.plan.Sides, err = compare.ParseSides(args)
	return err
}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   comparedSides,
		Short: "Compare configurations: which makes fewer reads",
		Long: `compare measures two or more configurations with the same Gets, in alternating runs. It
says which of them makes fewer reads, how many fewer, and how certain that is.

A configuration is DIR or DIR:SETTINGS, such as DIR:engine=pebblev1,label=old.
docs/flags.md lists the settings. All directories must hold the same keys.

The commands below are ready-made comparisons. They make the databases that they need.`,
		Example: `  getio compare data/v13:engine=pebblev1 data/v13:engine=pebblev2 --cache 1%
  getio compare data/4k:label=4k data/32k:label=32k --out blocks.jsonl
  getio compare block-size`,
		Args: f.sides, ValidArgsFunction: directories,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.registerCompare(c)
	f.registerNow(c)
	c.Flags().VarP(flagvalue.Path(&f.plan.Journal.Path, flagvalue.KindFile), "out", "o", "file to keep records in; runs whose records are there already are skipped")
	flagvalue.File(c.Flags(), &f.benchfmt, "benchfmt", "write a file for 'benchstat -col /side FILE'")
	for _, q := range compare.Questions {
		c.AddCommand(questionCommand(q))
	}
	return c
}

const comparedSides = "compare DIR DIR..."

// Usages that compare shares with its questions.
const (
	comparedGets   = "measured Gets of each run, such as 10M"
	comparedCaches = "cache sizes, comma-separated (default: 0.2%, 0.5% and 1%. For a small database, up to three larger sizes are added)"
)

// roundsVar adds --rounds. An interval over five is 2.8 times as wide as the standard error.
func roundsVar(f *pflag.FlagSet, to *int) {
	flagvalue.Count(f, to, "rounds", "5", compare.MinRounds, compare.MaxRounds, "rounds, at least 2")
}

// parse checks the flags.
func (f *compareFlags) parse(c *cobra.Command) (err error) {
	p := &f.plan
	p.Options, p.Trace, err = f.runFlags.parse(c)
	p.Limit = f.limit
	p.Shards, p.Device, p.Outputs = f.shards, cell.NewDevice(f.device.pageCache, f.device.model), map[string]string{"--benchfmt": f.benchfmt}
	p.Warn = func(text string) { warn(c, text) }
	return err
}

func (f *compareFlags) run(c *cobra.Command) (err error) {
	p := &f.plan
	if err = f.parse(c); err != nil {
		return err
	}
	if f.benchfmt != "" {
		err = atomicfile.RequireReplaceable(f.benchfmt, "--benchfmt")
	}
	if err == nil {
		err = p.Resume()
	}
	if err != nil {
		return err
	}
	w, err := f.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	p.Watcher = &progress.Comparison{Follower: w, Command: c, JSON: f.json}
	found, err := p.Run(c.Context(), engines.All())
	w.Meter.Finish()
	if err != nil {
		return err
	}
	if f.benchfmt != "" {
		if err := writeBenchmarks(f.benchfmt, found); err != nil {
			return errors.Join(believable(found.Results...), err)
		}
	}
	return printComparison(c, found, p.Journal.Path, f.json)
}

// printComparison prints what was found, and returns an error if it cannot be believed.
func printComparison(c *cobra.Command, found *compare.Findings, out string, json bool) (err error) {
	if err = showAll(c, json, found.Lines, report.Comparison); err == nil && out != "" {
		_, err = fmt.Fprintf(prose(c, json), "\nRecords: %s\n", out)
	}
	if err != nil {
		return err
	}
	return believable(found.Results...)
}

// writeBenchmarks writes a file for benchstat.
func writeBenchmarks(path string, found *compare.Findings) error {
	var text bytes.Buffer
	if err := report.ComparisonBenchmarks(&text, found.Results); err != nil {
		return err
	}
	if text.Len() == 0 {
		return errors.New("nothing was written for benchstat: a self-check of a run failed")
	}
	if err := atomicfile.Replace(path, text.Bytes()); err != nil {
		return fmt.Errorf("cannot write the benchmarks to %s (%w): choose another file with --benchfmt", path, err)
	}
	return nil
}
