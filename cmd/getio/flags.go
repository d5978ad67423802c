package main

import (
	"cmp"
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
	"getio/system/device"
	"getio/workload"
	"getio/workload/dataset"
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

// settingFlags adds the flags of settings of a workload, or those of them that are named.
func settingFlags(f *pflag.FlagSet, settings []workload.Setting, named ...string) {
	for _, flag := range workload.Flags(settings, named...) {
		flagvalue.Setting(f, flag)
	}
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

// maxShards is a limit against typing errors.
const maxShards = 4096

func shardsVar(f *pflag.FlagSet, to *int, usage string) {
	flagvalue.Count(f, to, "shards", "0", 0, maxShards, usage)
}

func defaultWorkers() int { return runtime.NumCPU() }

// runFlags are the flags that measure and sweep share.
type runFlags struct {
	workload workload.Workload
	counted  measure.Counted
	shards   int
	files    int      // -1: the configuration's
	tables   []string // of an MDBX database
	json     bool
	choice   database.OpenOptions
	device   cell.Device
	progress progress.Flags
	limit    database.TimeLimit
}

// jsonUsage is what --json says, in ready-made comparisons too.
const jsonUsage = "print records instead of text"

func (r *runFlags) register(c *cobra.Command) {
	f := c.Flags()
	r.workload.Workers = defaultWorkers()
	settingFlags(f, r.workload.Settings())
	r.registerRuns(c)
	r.files = -1
	flagvalue.Count(f, &r.files, "max-open-files", "", 0, math.MaxInt32, "how many files the engine may keep open")
	f.StringArrayVar(&r.tables, "table", nil, "MDBX: look up keys of this `table`; repeatable")
	f.BoolVar(&r.counted.Distribution, "distribution", false, "show how many Gets made 0, 1, 2 and more reads")
	f.BoolVar(&r.counted.Latency, "latency", false, "show how long Gets took")
	choiceFlags(c, &r.choice)
}

// registerNow registers the flags that only apply when the runs start at once, not those of a plan.
func (r *runFlags) registerNow(c *cobra.Command) {
	flagvalue.Time(c.Flags(), &r.limit.Until)
	c.Flags().BoolVar(&r.json, "json", false, jsonUsage)
	r.progress.Register(c)
}

// registerRuns registers what bears on the runs, and neither on their workload nor on how a database is opened.
func (r *runFlags) registerRuns(c *cobra.Command) {
	f := c.Flags()
	shardsVar(f, &r.shards, "shards of the block cache, a multiple of 4")
	f.BoolVar(&r.counted.ExactSplit, "exact-split", false, "repeat the Gets without a cache, to count the accesses to index blocks and to data blocks exactly. Pebble counts only their sum, so both are otherwise estimates, marked ~")
	deviceVar(f, &r.device)
}

// parse checks the flags; nothing is opened before that but the files of keys. The trace is nil without one.
func (r *runFlags) parse(c *cobra.Command) (o measure.Options, t *trace.File, err error) {
	o.Workload, o.Counted = r.workload, r.counted
	settings := r.workload.Settings()
	r.limit.ShortIfSmall = !slices.ContainsFunc(append(workload.Excluding(settings, "time"), "update-rate", "rounds"), c.Flags().Changed)
	err = usage.Wrap(workload.Conflict(settings, c.Flags().Changed))
	if !r.limit.Until.IsZero() {
		err = cmp.Or(err, usage.RefuseFlags(c, "cannot be combined with --time: leave one out", "update-rate"))
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
