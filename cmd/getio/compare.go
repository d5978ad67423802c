package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/flagvalue"
	"getio/engine/engines"
	"getio/experiment/compare"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/report"
	"getio/system/atomicfile"
)

type compareFlags struct {
	runFlags
	plan     compare.Plan
	benchfmt string
}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A B [C...]",
		Short: "Compare configurations by alternating runs, with a verdict",
		Long: `compare measures two or more configurations in alternating runs of the same Gets. For
each cache, it reports which configuration reads less, by how much, and how certain that
is. All are compared with the first one.

A configuration is a directory, optionally with settings after a colon:

  DIR:SETTING,SETTING   engine=NAME, preset=NAME, label=NAME (to 12 letters),
                        last-level-filters (look keys up with iterators that
                        consult the filters of the last level), and options for
                        reading: max_open_files=N, memtable_size=SIZE (Pebble,
                        LevelDB), cache=NAME (RocksDB)

Only what follows the last colon is settings. For a directory named 'a:b', write 'a:b:'.
All sides must hold the same keys. For databases that getio did not make, use
--keys-file with keys that all of them hold.

In each round, every side is measured once, from an empty cache, with the same warm-up
and the same Gets. The next round uses other keys and the opposite order. Intervals
are 95% confidence intervals, computed from the rounds with Student's t distribution. No
verdict is given if a side makes too few Gets, fails a self-check or is not steady, that
is, if its I/Os per Get still rise or fall at the end of the runs, on average.

Each command below answers a prepared question and makes the databases that it needs. To compare a
directory that has the name of such a command, write ./NAME.`,
		Example: `  getio compare data/v13:engine=pebblev1 data/v13:engine=pebblev2 --cache 1%
  getio compare data/4k:label=4k data/32k:label=32k --out blocks.jsonl
  getio compare block-size`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			f.plan.Sides, err = compare.ParseSides(args)
			return err
		},
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.registerRuns(c)
	c.Flags().Lookup("gets").Usage = comparedGets
	c.Flags().Lookup("warmup").Usage = comparedWarmup
	c.Flags().Lookup("seed").Usage = "seed of the keys in the first round; each further round uses the next one"
	c.Flags().Lookup("json").Usage = comparedRecords
	flagvalue.Caches(c.Flags(), &f.plan.Caches, "", comparedCaches+" (default: three shares)")
	roundsVar(c.Flags(), &f.plan.Rounds)
	c.Flags().StringVar(&f.plan.Journal.Path, "out", "", "JSON Lines file for the records; runs in it are not repeated")
	c.Flags().StringVar(&f.benchfmt, "benchfmt", "", "also write the rounds to this file, for 'benchstat -col /side FILE'")
	for _, q := range compare.Questions {
		c.AddCommand(questionCommand(q))
	}
	return c
}

// Usages that compare shares with its questions.
const (
	comparedGets    = "measured Gets of each run, such as 10M (default: 200k, or more for large trees)"
	comparedWarmup  = "Gets before the measured ones: auto (what the slowest side needs to become steady), a number, or a share of the keys such as 0.05%"
	comparedCaches  = "cache sizes, comma-separated; shares, IP1 and IP2 refer to the first side's database"
	comparedRecords = "print getio.result/1 records, followed by getio.compare/1 records, one per line"
)

// roundsVar adds --rounds. An interval over five is 2.8 times as wide as the standard error.
func roundsVar(f *pflag.FlagSet, to *int) {
	flagvalue.Count(f, to, "rounds", "5", compare.MinRounds, compare.MaxRounds, "rounds, at least 2")
}

func (f *compareFlags) run(c *cobra.Command) (err error) {
	p := &f.plan
	if p.Options, p.Keys, err = f.parse(c); err != nil {
		return err
	}
	p.Shards, p.Device, p.Outputs = f.shards, f.device.layer, map[string]string{"--benchfmt": f.benchfmt}
	if f.benchfmt != "" {
		err = atomicfile.RequireReplaceable(f.benchfmt, "--benchfmt")
	}
	if err == nil {
		err = p.Resume()
	}
	if err != nil {
		return err
	}
	w, err := f.follow.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	p.Warn = func(text string) { warn(c, text) }
	p.Watcher = &comparisonFollower{follower: w, command: c, json: f.json}
	found, err := p.Run(c.Context(), engines.All())
	w.meter.Finish()
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

// comparisonFollower shows a comparison under way.
type comparisonFollower struct {
	*follower
	command *cobra.Command
	json    bool
}

func (w *comparisonFollower) Begin(base *database.Database, runs int, gets, least int64, alike []string) {
	w.followReads(base, runs)
	if len(alike) > 0 {
		fmt.Fprintf(w.command.ErrOrStderr(), "%s are the same database, read with the same options: whatever differs is chance\n", strings.Join(alike, " and "))
	}
	if gets < least {
		fmt.Fprintf(w.command.ErrOrStderr(), "%d Gets in each run are too few for a verdict, which needs --gets %d\n", gets, least)
	}
}

func (w *comparisonFollower) Progress(at compare.Step, stage measure.Stage) {
	w.run.Measure(stage)
	run := at.Side
	if at.Round > 0 {
		run = fmt.Sprintf("round %d of %d, %s", at.Round, at.Rounds, at.Side)
	}
	stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s, %s", at.Cache, at.Caches, humanize.IBytes(uint64(at.CacheBytes)), run, stage.Phase)
	w.meter.Show(stage.Progress())
}

func (w *comparisonFollower) Finish(r *record.Result) error {
	w.run.Finish(r)
	if w.json {
		return record.WriteLine(w.command.OutOrStdout(), r)
	}
	return nil
}

func (w *comparisonFollower) FinishRound(at compare.Step, sides []compare.Side) {
	w.meter.Finish()
	fmt.Fprintf(w.command.ErrOrStderr(), "cache %d of %d: %s, round %d of %d: %s\n", at.Cache, at.Caches,
		humanize.IBytes(uint64(at.CacheBytes)), at.Round, at.Rounds, report.FinishedRound(sides))
}

// printComparison prints what was found, and returns an error if it cannot be believed.
func printComparison(c *cobra.Command, found *compare.Findings, out string, json bool) (err error) {
	if json {
		err = record.WriteLines(c.OutOrStdout(), found.Lines)
	} else {
		err = report.Comparison(c.OutOrStdout(), found.Lines)
	}
	if err == nil && out != "" {
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
	if err := report.ComparisonBenchmarks(&text, found.ByCache); err != nil {
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
