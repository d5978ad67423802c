package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/experiment/compare"
	"getio/record"
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
		Short: "What differs between configurations: alternating runs of one workload, a verdict",
		Long: `compare measures two or more configurations in alternating runs of the same Gets,
and tells for each cache which of them reads less, by how much, and how sure that
is. The first one is what the others are compared with.

Each is a directory, with settings behind a colon if it takes any:

  DIR:SETTING,SETTING   engine=NAME, preset=NAME, label=NAME (12 characters at most),
                        last-level-filters (look keys up with iterators that
                        consult the filters of the last level), and options of
                        reading: max_open_files=N, memtable_size=SIZE (Pebble,
                        LevelDB), cache=NAME (RocksDB)

The settings are what follows the last colon: a directory with a colon in its own
name is written with one more behind it. All sides must hold the same keys; of two
databases that getio did not make, --keys-file names some of both.

In each round every side is measured once, from an empty cache, with the same
warm-up and the same Gets; the next round asks for other keys, in the opposite
order. An interval is at 95%, by Student's t over the rounds. There is no verdict
where a side is not steady, by the mean of its rounds, has too few Gets to tell, or
a self-check failed.

A name from the list below answers a prepared question instead, and makes the
databases that it takes. A directory of that name is written ./NAME.`,
		Example: `  getio compare data/v13:engine=pebblev1 data/v13:engine=pebblev2 --cache 0.2%,1%
  getio compare data/4k:label=4k data/32k:label=32k --out blocks.jsonl
  getio compare block-size`,
		Args: func(_ *cobra.Command, args []string) error { return checkSides(args) },
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.registerRuns(c)
	c.Flags().Lookup("gets").Usage = "measured Gets of each run, like 10M (default: 200k, or more where a tree is large)"
	c.Flags().Lookup("warmup").Usage = "Gets before them: auto (what the side that needs most takes until it is steady), a number, or a share of the keys such as 0.05%"
	c.Flags().Lookup("seed").Usage = "seed of the keys that are asked for in the first round; each further round has the next one"
	c.Flags().Lookup("json").Usage = "print getio.result/1 records, and getio.compare/1 records after them, one per line"
	cachesVar(c.Flags(), &f.cache, "", "cache sizes, comma-separated; shares, IP1 and IP2 are of the first side's database (default: three shares)")
	roundsVar(c.Flags(), &f.rounds)
	c.Flags().StringVar(&f.out, "out", "", "JSON Lines file of the records; runs that it has are not made again")
	c.Flags().StringVar(&f.benchfmt, "benchfmt", "", "write the rounds to this file too, for 'benchstat -col /side FILE'")
	for _, q := range questions {
		c.AddCommand(q.command())
	}
	return c
}

// defaultRounds have an interval 2.8 times as wide as the spread of their mean, and
// maxRounds catches slips of the pen.
const (
	defaultRounds = 5
	maxRounds     = 1000
)

func checkSides(args []string) error {
	switch len(args) {
	case 0:
		return fmt.Errorf("compare takes two sides or more, or a question: %s; see 'getio compare --help'", strings.Join(questionNames(), ", "))
	case 1:
		return fmt.Errorf("compare takes two sides or more, and %q is only one; no question is called that either: there are %s", args[0], strings.Join(questionNames(), ", "))
	}
	if len(args) > maxSides {
		return fmt.Errorf("compare takes at most %d sides, not %d", maxSides, len(args))
	}
	return nil
}

// maxSides have letters.
const maxSides = 26

func (f *compareFlags) run(c *cobra.Command, args []string) error {
	p, err := f.comparison(c, args)
	if err != nil {
		return err
	}
	w, err := f.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	found, err := p.run(c, w)
	if err != nil {
		return err
	}
	return found.conclude(c, p, f.benchfmt)
}

// comparison checks the flags; no database is opened before that.
func (f *compareFlags) comparison(c *cobra.Command, args []string) (p *comparison, err error) {
	p = &comparison{rounds: f.rounds, sizes: f.cache, shards: f.shards, device: f.device, json: f.json, journal: record.Journal{Path: f.out, Runs: "runs"}}
	if p.sides, err = parseSides(args); err != nil {
		return nil, err
	}
	if p.options, p.ask, err = f.parse(c); err != nil {
		return nil, err
	}
	if f.benchfmt != "" {
		if f.out != "" && filepath.Clean(f.benchfmt) == filepath.Clean(f.out) {
			return nil, fmt.Errorf("--benchfmt and --out name one file, %s: name two", f.out)
		}
		if err := requireReplaceable(f.benchfmt, "--benchfmt"); err != nil {
			return nil, err
		}
		p.others = append(p.others, output{f.benchfmt, "--benchfmt"})
	}
	p.done, err = p.journal.Results()
	p.done = slices.DeleteFunc(p.done, timed)
	return p, err
}

// roundsVar adds --rounds. The interval comes from how rounds differ.
func roundsVar(f *pflag.FlagSet, to *int) {
	countVar(f, to, "rounds", strconv.Itoa(defaultRounds), compare.MinRounds, maxRounds, "rounds, at least 2")
}

// writeBenchmarks writes a file for benchstat.
func writeBenchmarks(path string, found *findings) error {
	var text bytes.Buffer
	if err := found.benchmarks(&text); err != nil {
		return err
	}
	if text.Len() == 0 {
		return errors.New("nothing was written for benchstat: a self-check of a run failed")
	}
	if err := replaceFile(path, text.Bytes()); err != nil {
		return fmt.Errorf("the benchmarks cannot be written to %s (%w): name another file with --benchfmt", path, err)
	}
	return nil
}

// timed tells whether single Gets were looked at, which costs processor time that the
// runs of a comparison do not spend.
func timed(r *record.Result) bool { return r.Latency != nil || r.Distribution != nil }
