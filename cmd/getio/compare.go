package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/engine/engines"
	"getio/experiment/compare"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/report"
	"getio/tree/lsm"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	runFlags
	cache    []lsm.CacheSize // none: the default ones
	rounds   int
	out      string
	benchfmt string
}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A B [C...]",
		Short: "Compare configurations by alternating runs of one workload, with a verdict",
		Long: `compare measures two or more configurations in alternating runs of the same Gets.
For each cache it says which configuration reads less, by how much, and how certain
that is. All are compared with the first one.

A configuration is a directory, optionally with settings behind a colon:

  DIR:SETTING,SETTING   engine=NAME, preset=NAME, label=NAME (at most 12 characters),
                        last-level-filters (look keys up with iterators that
                        consult the filters of the last level), and options for
                        reading: max_open_files=N, memtable_size=SIZE (Pebble,
                        LevelDB), cache=NAME (RocksDB)

Settings follow the last colon: add a colon to a directory that has one in its name.
All sides must hold the same keys. For databases that getio did not make, use
--keys-file with keys that both hold.

In each round every side is measured once, from an empty cache, with the same
warm-up and the same Gets. The next round uses other keys and the opposite order.
Intervals are at 95%, by Student's t over the rounds. There is no verdict if a side
is not steady (by the mean of its rounds), has too few Gets to tell, or failed a
self-check.

The names below are prepared questions, which make their own databases. Write
./NAME for a directory of that name.`,
		Example: `  getio compare data/v13:engine=pebblev1 data/v13:engine=pebblev2 --cache 0.2%,1%
  getio compare data/4k:label=4k data/32k:label=32k --out blocks.jsonl
  getio compare block-size`,
		Args: sides,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.registerRuns(c)
	c.Flags().Lookup("gets").Usage = comparedGets
	c.Flags().Lookup("warmup").Usage = comparedWarmup
	c.Flags().Lookup("seed").Usage = "seed of the keys in the first round; each further round uses the next one"
	c.Flags().Lookup("json").Usage = comparedRecords
	cachesVar(c.Flags(), &f.cache, "", comparedCaches+" (default: three shares)")
	roundsVar(c.Flags(), &f.rounds)
	c.Flags().StringVar(&f.out, "out", "", "JSON Lines file for the records; runs in it are not repeated")
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

// roundsVar adds --rounds. Five have an interval 2.8 times as wide as the spread of their mean.
func roundsVar(f *pflag.FlagSet, to *int) {
	countVar(f, to, "rounds", strconv.Itoa(5), compare.MinRounds, compare.MaxRounds, "rounds, at least 2")
}

// sides are the arguments of compare.
func sides(_ *cobra.Command, args []string) error {
	var names []string
	for _, q := range compare.Questions {
		names = append(names, q.Name)
	}
	questions := strings.Join(names, ", ")
	switch len(args) {
	case 0:
		return fmt.Errorf("compare needs two sides or more, or a question: %s; see 'getio compare --help'", questions)
	case 1:
		return fmt.Errorf("compare needs two sides or more, and %q is neither two nor a question: the questions are %s", args[0], questions)
	}
	return nil
}

func (f *compareFlags) run(c *cobra.Command, args []string) error {
	p, err := f.plan(c, args)
	if err != nil {
		return err
	}
	w, err := f.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	p.Watcher = &comparisonWatch{watch: w, command: c, json: f.json}
	found, err := p.Run(c.Context(), engines.All())
	w.meter.finish()
	if err != nil {
		return err
	}
	if f.benchfmt != "" {
		if err := writeBenchmarks(f.benchfmt, found); err != nil {
			return errors.Join(believable(found.Results...), err)
		}
	}
	return printComparison(c, found, f.out, f.json)
}

// plan checks the flags; no database is opened before that.
func (f *compareFlags) plan(c *cobra.Command, args []string) (p *compare.Plan, err error) {
	p = &compare.Plan{
		Caches: f.cache, Fits: checkMemory, Rounds: f.rounds, Shards: f.shards, Device: f.device.layer,
		Outputs: map[string]string{"--benchfmt": f.benchfmt}, Journal: record.Journal{Path: f.out, Runs: "runs"},
	}
	if p.Sides, err = compare.ParseSides(args); err != nil {
		return nil, err
	}
	if p.Options, p.Keys, err = f.parse(c); err != nil {
		return nil, err
	}
	if f.benchfmt != "" {
		if f.out != "" && filepath.Clean(f.benchfmt) == filepath.Clean(f.out) {
			return nil, fmt.Errorf("--benchfmt and --out are the same file, %s: choose two files", f.out)
		}
		if err := requireReplaceable(f.benchfmt, "--benchfmt"); err != nil {
			return nil, err
		}
	}
	return p, p.Resume()
}

// comparisonWatch shows a comparison under way.
type comparisonWatch struct {
	*watch
	command *cobra.Command
	json    bool
}

func (w *comparisonWatch) Begin(base *database.Database, runs int, gets, least int64) {
	w.watchReads(base, runs)
	if gets < least {
		fmt.Fprintf(w.command.ErrOrStderr(), "%d Gets in each run are too few for a verdict, which needs --gets %d\n", gets, least)
	}
}

func (w *comparisonWatch) Progress(at compare.Step, stage measure.Stage) {
	w.run.Measure(stage)
	run := at.Side
	if at.Round > 0 {
		run = fmt.Sprintf("round %d of %d, %s", at.Round, at.Rounds, at.Side)
	}
	stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s, %s", at.Cache, at.Caches, humanize.IBytes(uint64(at.CacheBytes)), run, stage.Phase)
	w.meter.measure(stage)
}

func (w *comparisonWatch) Finish(r *record.Result) error {
	w.run.Finish(r)
	if w.json {
		return record.WriteLine(w.command.OutOrStdout(), r)
	}
	return nil
}

func (w *comparisonWatch) FinishRound(at compare.Step, sides []compare.Side) {
	w.meter.finish()
	fmt.Fprintf(w.command.ErrOrStderr(), "cache %d of %d: %s, round %d of %d: %s\n", at.Cache, at.Caches,
		humanize.IBytes(uint64(at.CacheBytes)), at.Round, at.Rounds, report.FinishedRound(sides))
}

// printComparison prints what was found, and returns an error if it cannot be believed.
func printComparison(c *cobra.Command, found *compare.Findings, out string, json bool) error {
	if json {
		for _, line := range found.Lines {
			if err := record.WriteLine(c.OutOrStdout(), line); err != nil {
				return err
			}
		}
		return believable(found.Results...)
	}
	err := report.Comparison(c.OutOrStdout(), found.Lines)
	if err == nil && out != "" {
		_, err = fmt.Fprintf(c.OutOrStdout(), "\nRecords: %s\n", out)
	}
	if err != nil {
		return err
	}
	return believable(found.Results...)
}

// writeBenchmarks writes a file for benchstat.
func writeBenchmarks(path string, found *compare.Findings) error {
	var text bytes.Buffer
	for _, sides := range found.ByCache {
		if err := report.ComparisonBenchmarks(&text, sides); err != nil {
			return err
		}
	}
	if text.Len() == 0 {
		return errors.New("nothing was written for benchstat: a self-check of a run failed")
	}
	if err := replaceFile(path, text.Bytes()); err != nil {
		return fmt.Errorf("cannot write the benchmarks to %s (%w): choose another file with --benchfmt", path, err)
	}
	return nil
}

// isDirectory reports whether a path is a directory.
func isDirectory(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}
