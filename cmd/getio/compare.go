package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/engine/engines"
	"getio/experiment/compare"
	"getio/measure"
	"getio/numbers/units"
	"getio/report"
	"getio/system/atomicfile"
	"getio/workload"
)

type compareFlags struct {
	runFlags
	plan     compare.Plan
	benchfmt string
}

// registerCompare registers what a comparison and its plan share.
func (f *compareFlags) registerCompare(c *cobra.Command) {
	f.workload.Workers = defaultWorkers()
	settingFlags(c.Flags(), f.workload.Keys.Settings())
	settingFlags(c.Flags(), f.workload.Settings(), comparedLengths...)
	c.Flags().Lookup("seed").Usage = "seed of the keys in the first round"
	f.registerRuns(c)
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

// What compare shares with its questions: a usage, and the settings besides the keys. It measures Gets, one after the
// other.
const comparedCaches = "cache sizes, comma-separated (default: 0.2%, 0.5% and 1%. For a small database, up to three larger sizes are added)"

var comparedLengths = []string{"gets", "warmup", "workers"}

// roundsVar adds --rounds. An interval over five is 2.8 times as wide as the standard error.
func roundsVar(f *pflag.FlagSet, to *int) {
	flagvalue.Count(f, to, "rounds", "5", compare.MinRounds, compare.MaxRounds, "rounds, at least 2")
}

func (f *compareFlags) parse(c *cobra.Command) (err error) {
	p := &f.plan
	p.Options, p.Trace, err = f.runFlags.parse(c)
	p.Limit = f.limit
	p.Shards, p.Device, p.Outputs = f.shards, f.device, map[string]string{"--benchfmt": f.benchfmt}
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

type questionFlags struct {
	asked    compare.Asked
	plan     compare.Plan
	json     bool
	progress progress.Flags
}

func questionCommand(q compare.Question) *cobra.Command {
	f := questionFlags{
		asked: compare.Asked{Question: q, Workers: defaultWorkers(), Engines: engines.All()},
		plan:  compare.Plan{Options: measure.Options{Workload: workload.Workload{Keys: workload.Keys{Seed: 1}, Workers: defaultWorkers()}}},
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
	settingFlags(flags, f.plan.Options.Workload.Settings(), comparedLengths...)
	roundsVar(flags, &f.plan.Rounds)
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
