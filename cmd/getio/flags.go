package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/experiment/cell"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/system/device"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
	"getio/workload/trace"
)

// choiceFlags are the flags that say how to open a database, with its engine detected.
func choiceFlags(c *cobra.Command, choice *database.OpenOptions) {
	engineFlags(c, choice, "(default: detected)")
}

// engineFlags are the flags that name an engine and its options. standard says which engine is the default.
func engineFlags(c *cobra.Command, choice *database.OpenOptions, standard string) {
	f := c.Flags()
	flagvalue.Engine(f, &choice.Engine, "", engines.All(), engineNames()+" "+standard)
	flagvalue.Choice(f, &choice.Preset, "preset", "", engines.All().Presets(), "named set of options, such as geth (docs/guide.md)")
	f.StringArrayVar(&choice.Options, "option", nil, "set an option of the engine, as `NAME=VALUE`; repeatable")
}

// engineNames lists the engines, and says which of them this binary lacks.
func engineNames() string {
	var names []string
	for _, e := range engines.All() {
		name := e.Name()
		if len(e.Presets()) == 0 {
			name += " (not built in)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// liveFlag lets a command read a database that is in use.
func liveFlag(c *cobra.Command, choice *database.OpenOptions) {
	c.Flags().BoolVar(&choice.Live, "live", false, "read a database that is in use, through temporary hard links")
}

// keysVar adds the flags that choose the keys of Gets.
func keysVar(f *pflag.FlagSet, to *workload.Keys, seed string) {
	f.Uint64Var(&to.Seed, "seed", 1, seed)
	absentVar(f, &to.Absent)
	flagvalue.File(f, &to.KeysFile, "keys-file", "look up the keys in this file, one per line in hexadecimal")
	flagvalue.File(f, &to.Trace, "trace", "repeat the operations in this file (docs/traces.md)")
	popularityVar(f, &to.Popularity)
}

// identify checks the keys, and reads their file or trace through. Without a trace, it returns nil.
func identify(c *cobra.Command, k *workload.Keys) (t *trace.File, err error) {
	if err := k.Check(); err != nil {
		return nil, usage.Wrap(err)
	}
	*k = k.Identified()
	if k.Trace == "" {
		return nil, nil
	}
	if t, err = readTrace(c, k.Trace); err == nil {
		k.TraceSHA256 = t.SHA256
	}
	return t, err
}

func readTrace(c *cobra.Command, path string) (*trace.File, error) {
	m := progress.Meter(c)
	defer m.Finish()
	return trace.Check(c.Context(), path, func(operations int64) { m.Show("trace", uint64(operations), 0, "operations", "") })
}

func absentVar(f *pflag.FlagSet, to *float64) {
	flagvalue.Var(f, to, "absent", "share", "0%", workload.ParseAbsent, "share of the Gets whose keys do not exist")
}

// popularityVar adds the flags for how often each key is asked for.
func popularityVar(f *pflag.FlagSet, to *popularity.Popularity) {
	flagvalue.Number(f, &to.Zipf, "zipf", "0", false, popularity.MaxZipf, "Zipf exponent of the keys' popularity, such as 0.99")
	flagvalue.Var(f, &to.Hotset, "hotset", "share:share", "", workload.ParseHotset, "1%:90% sends 90% of the Gets to 1% of the keys")
}

// Limits against typing errors.
const (
	maxWorkers = 4096
	maxShards  = 4096
)

func workersVar(f *pflag.FlagSet, to *int, usage string) {
	*to = defaultWorkers()
	flagvalue.Count(f, to, "workers", "", 1, maxWorkers, usage+" (default: one per processor)")
}

func shardsVar(f *pflag.FlagSet, to *int, usage string) {
	flagvalue.Count(f, to, "shards", "0", 0, maxShards, usage)
}

func defaultWorkers() int { return runtime.NumCPU() }

// runFlags are the flags that measure and sweep share.
type runFlags struct {
	workload workload.Workload
	counted  measure.Counted
	scan     int // records; 0: Gets
	batch    int // keys; 0: Gets
	shards   int
	files    int      // -1: the configuration's
	tables   []string // of an MDBX database
	json     bool
	choice   database.OpenOptions
	device   cell.Device
	progress progress.Flags
	limit    database.TimeLimit
}

// What flags of runs say, in ready-made comparisons too.
const (
	warmupUsage = "Gets before the measured ones: auto, a number, or a share of the keys"
	jsonUsage   = "print records instead of text"
)

func (r *runFlags) register(c *cobra.Command) {
	r.registerRuns(c, "measured Gets, such as 10M", "seed of the keys")
	f := c.Flags()
	flagvalue.Count(f, &r.scan, "scan", "", 1, trace.MaxLength, "measure scans of this many records instead of Gets")
	flagvalue.Count(f, &r.batch, "multiget", "", 1, trace.MaxKeys, "look up this many keys at a time")
	r.files = -1
	flagvalue.Count(f, &r.files, "max-open-files", "", 0, math.MaxInt32, "how many files the engine may keep open")
	f.StringArrayVar(&r.tables, "table", nil, "MDBX: look up keys of this `table`; repeatable")
	f.BoolVar(&r.counted.Distribution, "distribution", false, "show how many Gets made 0, 1, 2 and more reads")
	f.BoolVar(&r.counted.Latency, "latency", false, "show how long Gets took")
	flagvalue.Count(f, &r.workload.Rate, "rate", "", 1, measure.MaxRate, "issue this many Gets per second, such as 20k")
	choiceFlags(c, &r.choice)
}

// registerNow registers the flags that only apply when the runs start at once, not those of a plan.
func (r *runFlags) registerNow(c *cobra.Command) {
	flagvalue.Time(c.Flags(), &r.limit.Until)
	c.Flags().BoolVar(&r.json, "json", false, jsonUsage)
	r.progress.Register(c)
}

// registerRuns registers what bears on the runs, and not on how a database is opened. gets and seed say what --gets and
// --seed are.
func (r *runFlags) registerRuns(c *cobra.Command, gets, seed string) {
	f := c.Flags()
	getsVar(f, &r.workload.Gets, gets)
	warmupVar(f, &r.workload.Warmup, warmupUsage)
	workersVar(f, &r.workload.Workers, "concurrent readers")
	shardsVar(f, &r.shards, "shards of the block cache, a multiple of 4")
	f.BoolVar(&r.counted.ExactSplit, "exact-split", false, "repeat the Gets without a cache, to count the accesses to index blocks and to data blocks exactly. Pebble counts only their sum, so both are otherwise estimates, marked ~")
	keysVar(f, &r.workload.Keys, seed)
	deviceVar(f, &r.device)
}

// getsVar adds --gets. Without it, the number depends on the tree.
func getsVar(f *pflag.FlagSet, to *int64, usage string) {
	flagvalue.Count(f, to, "gets", "", 1, units.MaxCount, usage)
}

// warmupVar adds --warmup, which is auto by default.
func warmupVar(f *pflag.FlagSet, to *workload.Warmup, usage string) {
	flagvalue.Var(f, to, "warmup", "rule", "auto", func(s string) (workload.Warmup, error) {
		if n, err := units.ParseCount(s); err == nil {
			return workload.WarmupGets(n), nil
		}
		if _, err := units.ParseShare(s); s != "auto" && err != nil {
			return workload.Warmup{}, errors.New("want auto, a number of Gets, or a share of the keys such as 0.05%")
		}
		return workload.ParseWarmup(s)
	}, usage).Offer("auto")
}

// parse checks the flags; nothing is opened before that but the files of keys. The trace is nil without one.
func (r *runFlags) parse(c *cobra.Command) (o measure.Options, t *trace.File, err error) {
	o.Workload, o.Counted = r.workload, r.counted
	if o.Operation, err = r.operation(); err != nil {
		return o, nil, err
	}
	lengths := []string{"gets", "warmup", "trace", "rate", "scan", "multiget", "update-rate"}
	r.limit.ShortIfSmall = !slices.ContainsFunc(append(lengths, "rounds"), c.Flags().Changed)
	if !r.limit.Until.IsZero() {
		err = usage.RefuseFlags(c, "cannot be combined with --time: leave one out", lengths...)
	}
	if err = cmp.Or(err, r.boundOpenFiles()); err != nil {
		return o, nil, err
	}
	if t, err = identify(c, &o.Keys); err == nil && t != nil {
		o.Workload, err = t.Follow(o.Workload, c.Flags().Changed("warmup"))
	}
	return o, t, err
}

// boundOpenFiles makes --max-open-files the option of that name.
func (r *runFlags) boundOpenFiles() error {
	if r.files < 0 {
		return nil
	}
	for _, o := range r.choice.Options {
		if strings.HasPrefix(o, dataset.OptionOpenFiles+"=") {
			return usage.Errorf("--max-open-files %d and --option %s set the same option: leave one out", r.files, o)
		}
	}
	r.choice.Options = append(r.choice.Options, fmt.Sprintf("%s=%d", dataset.OptionOpenFiles, r.files))
	return nil
}

// deviceVar adds the flags that choose the page cache's part, and model a device.
func deviceVar(f *pflag.FlagSet, d *cell.Device) {
	flagvalue.Var(f, &d.PageCache, "page-cache", "name", "keep", device.ParsePageCache,
		"page cache: keep, cold (empty at the start) or bypass").Offer("keep", "cold", "bypass")
	flagvalue.Count(f, &d.IOPS, "iops", "", 1, device.MaxIOPS, "model a device that serves this many reads per second")
	flagvalue.Duration(f, &d.ReadLatency, "read-latency", device.MaxLatency, "delay each read by this time, such as 500us")
}

// operation is what --scan or --multiget ask for.
func (r *runFlags) operation() (workload.Operation, error) {
	switch {
	case r.scan > 0 && r.batch > 0:
		return workload.Operation{}, usage.Errorf("--scan and --multiget are different runs: leave one out")
	case r.scan > 0 && r.workload.Trace != "":
		return workload.Operation{}, usage.Errorf("--scan cannot be combined with --trace %s: leave one out", r.workload.Trace)
	case r.batch > 0 && r.workload.Trace != "":
		return workload.Operation{}, usage.Errorf("--multiget cannot be combined with --trace %s: leave one out", r.workload.Trace)
	case r.scan > 0:
		return workload.Operation{Kind: workload.Scan, Records: r.scan}, nil
	case r.batch > 0:
		return workload.Operation{Kind: workload.Multiget, Records: r.batch}, nil
	}
	return workload.Operation{}, nil
}
