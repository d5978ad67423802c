package main

import (
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/measure/database"
	"getio/workload"
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

// absentVar adds --absent.
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
