package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/dataset"
	"getio/dataset/trace"
	"getio/engine"
	"getio/engine/engines"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// runFlags are the flags that measure and sweep share.
type runFlags struct {
	askFlags
	gets    int64 // 0: by the tree
	warmup  measure.Warmup
	trace   string
	scan    int // records; 0: Gets
	batch   int // keys; 0: Gets
	workers int
	shards  int
	files   int // -1: the configuration's
	exact   bool
	json    bool
	choice  database.OpenOptions
	device  deviceFlags
	single  singleFlags
	watch   watchFlags
}

func (r *runFlags) register(c *cobra.Command) {
	r.registerRuns(c)
	f := c.Flags()
	f.StringVar(&r.trace, "trace", "", "make the operations listed in this file instead, in their order, after its own warm-up (docs/traces.md)")
	countVar(f, &r.scan, "scan", "", 1, trace.MaxLength, "make scans instead of Gets: each seeks a key and reads that many records in order")
	countVar(f, &r.batch, "multiget", "", 1, trace.MaxKeys, "look that many keys up together, in their order, with one iterator")
	r.files = -1
	countVar(f, &r.files, "max-open-files", "", 0, math.MaxInt32, "files that the engine may have open at a time, most of them tables (default: the configuration's; geth's is half of what the process may open)")
	r.single.register(c)
	choiceFlags(c, &r.choice)
}

// registerRuns registers what bears on the runs, and not on how a database is opened.
func (r *runFlags) registerRuns(c *cobra.Command) {
	f := c.Flags()
	getsVar(f, &r.gets, "measured Gets, such as 10M (default: 1M, or more for large trees)")
	warmupVar(f, &r.warmup, "Gets before the measured ones: auto (until steady), a number, or a share of the keys such as 0.05%")
	workersVar(f, &r.workers, "concurrent readers")
	shardsVar(f, &r.shards, "shards of the block cache, a multiple of 4 (default: the library's choice)")
	f.BoolVar(&r.exact, "exact-split", false, "separate index from data accesses exactly, by repeating the Gets without a cache")
	f.BoolVar(&r.json, "json", false, "print getio.result/1 records instead, one per line")
	r.askFlags.register(c)
	r.device.register(c)
	r.watch.register(c)
}

// getsVar adds --gets. Without it, the number depends on the tree.
func getsVar(f *pflag.FlagSet, to *int64, usage string) {
	countVar(f, to, "gets", "", 1, units.MaxCount, usage)
}

// warmupVar adds --warmup, which is auto by default.
func warmupVar(f *pflag.FlagSet, to *measure.Warmup, usage string) {
	flagVar(f, to, "warmup", "rule", "auto", func(s string) (measure.Warmup, error) {
		if n, err := units.ParseCount(s); err == nil {
			return measure.WarmupGets(n), nil
		}
		if _, err := units.ParseShare(s); s != "auto" && err != nil {
			return measure.Warmup{}, errors.New("want auto, a number of Gets, or a share of the keys such as 0.05%")
		}
		return measure.ParseWarmup(s)
	}, usage)
}

// parse checks the flags; nothing is opened before that.
func (r *runFlags) parse(c *cobra.Command) (measure.Options, database.KeySource, error) {
	opts := measure.Options{Gets: r.gets, Warmup: r.warmup, Workers: r.workers, ExactSplit: r.exact}
	ask, err := r.ask()
	if err != nil {
		return opts, ask, err
	}
	if opts.Operation, err = r.operation(); err != nil {
		return opts, ask, err
	}
	if err := r.requireNoOtherKeys(ask); err != nil {
		return opts, ask, err
	}
	r.single.apply(&opts)
	if err := r.boundOpenFiles(); err != nil || r.trace == "" {
		return opts, ask, err
	}
	ask.Trace, err = r.readTrace(c, &opts)
	return opts, ask, err
}

// boundOpenFiles makes --max-open-files the option of that name.
func (r *runFlags) boundOpenFiles() error {
	if r.files < 0 {
		return nil
	}
	for _, o := range r.choice.Options {
		if strings.HasPrefix(o, dataset.OptionOpenFiles+"=") {
			return fmt.Errorf("--max-open-files %d and --option %s set the same option: leave one out", r.files, o)
		}
	}
	r.choice.Options = append(r.choice.Options, fmt.Sprintf("%s=%d", dataset.OptionOpenFiles, r.files))
	return nil
}

type measureFlags struct {
	runFlags
	cache   *lsm.CacheSize // nil: missing
	update  uint64
	pace    *load.Pace // of updates meanwhile; nil: none
	filters bool
	record  string // file for a trace
}

func measureCommand() *cobra.Command {
	var m measureFlags
	c := &cobra.Command{
		Use:   "measure DIR --cache SIZE",
		Short: "Measure I/Os per Get at one cache size, by component",
		Long: `measure opens a database read-only with the given block cache, looks up random keys,
and counts every read of a table file. The result has a 95% confidence interval. No
figure is printed unless every lookup succeeds and all self-checks hold.

The keys of a dataset that getio made are known. Those of another database are sampled
from its tables, or come from --keys-file. --scan and --multiget measure other operations
than Gets, and --trace the operations listed in a file: --gets then counts operations,
and figures are per operation and per key.

With --update-rate, keys of a dataset that getio made are overwritten during the
measurement. Reads of Gets and of compactions are counted separately, and stalls, write
amplification and the tree's changes are listed window by window.`,
		Example: `  getio measure data/10m --cache 12MiB
  getio measure data/10m --cache 12MiB --update-rate 20k
  getio measure /var/lib/geth/geth/chaindata --cache 0.2%`,
		Args: directory,
		RunE: func(c *cobra.Command, args []string) error { return m.run(c, args[0]) },
	}
	f := c.Flags()
	cacheVar(f, &m.cache, "cache", "size of the block cache: 45MiB, 0.2% (of the database), IP1 or IP2 (required)")
	countVar(f, &m.update, "update", "0", 0, units.MaxCount, "overwrite that many random keys first (changes the dataset; only of datasets that getio made)")
	flagVar(f, &m.pace, "update-rate", "rate", "", parseUpdateRate, "overwrite that many random keys per second while measuring, such as 20k, or max (changes the dataset; only of datasets that getio made)")
	f.BoolVar(&m.filters, "last-level-filters", false, "look keys up with iterators that consult the filters of the last level, which Pebble's Get never does")
	f.StringVar(&m.record, "record", "", "write the operations of the run, warm-up included, to this file as a trace; compressed if the name ends in .gz")
	m.register(c)
	liveFlag(c, &m.choice)
	return c
}

func (m *measureFlags) run(c *cobra.Command, dir string) error {
	opts, ask, err := m.parse(c)
	if err != nil {
		return err
	}
	if m.filters && opts.Operation.Kind == engine.OperationScan {
		return errors.New("scans consult no filters: leave --last-level-filters out, or --scan")
	}
	if m.cache == nil {
		return errors.New("measure needs a cache size: add --cache SIZE, such as --cache 45MiB or --cache 0.2%")
	}
	if m.pace != nil {
		if err := m.beside(); err != nil {
			return err
		}
	}
	w, err := m.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	opts.Progress = w.measure
	request := measure.Request{
		Engines: engines.All(), Dir: dir, Choice: m.choice, Cache: *m.cache,
		Open: engine.OpenConfig{Shards: m.shards, LastLevelFilters: m.filters, Device: m.device.layer()},
		Keys: ask, Options: opts, Updates: m.update, Pace: m.pace, Writers: defaultWorkers(), Record: m.record,
		Loading: w.watchLoad, Reading: func(d *database.Database) { w.watchReads(d, 1) },
	}
	result, err := request.Run(c.Context())
	w.meter.Finish()
	if result == nil {
		return err
	}
	w.run.Finish(result)
	if m.json { // what was measured counts, whatever came of a trace of it
		err = errors.Join(err, record.WriteLine(c.OutOrStdout(), result))
	} else {
		err = errors.Join(err, report.Measurement(c.OutOrStdout(), result))
	}
	if err != nil {
		return err
	}
	return believable(result)
}

// believable turns a failed self-check into the command's error.
func believable(results ...*record.Result) error {
	var checks readpath.Checks
	for _, r := range results {
		checks = append(checks, r.Checks...)
	}
	return checks.Err()
}
