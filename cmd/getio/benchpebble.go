package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/experiment/benchpebble"
	"getio/load"
	"getio/measure"
	"getio/record"
)

// benchName is the published study's tool, under whose name getio behaves like it.
const benchName = benchpebble.Name

// benchLevelChecks is the log level from which the self-checks are printed.
const benchLevelChecks = 4

func benchCommand() *cobra.Command {
	o := benchpebble.Options{Path: "./data/bench_pebble"}
	var level int
	c := &cobra.Command{
		Use:   benchName,
		Short: "Do what the published study's tool does, with its flags",
		Long: `bench_pebble takes the flags of the published study's tool and prints the same log lines,
but runs on an unmodified Pebble. It inserts (-i), updates (-w) and reads (-r) keys in
the database at -p. Without -i and -w, it opens the database read-only.`,
		Args:          usage.NoArguments,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			o.AnyKeys = !c.Flags().Changed("T")
			return runBench(c, o, level)
		},
	}
	f := c.Flags()
	f.BoolVarP(&o.Insert, "i", "i", false, "insert all keys first")
	f.BoolVarP(&o.Batches, "b", "b", true, "insert in batches")
	f.Int64VarP(&o.CacheMiB, "c", "c", 512, "block cache in MiB")
	f.Uint64VarP(&o.Keys, "T", "T", 4_000_000_000, "number of keys in the database")
	f.IntVarP(&o.Threads, "t", "t", 32, "concurrent threads")
	f.Uint64VarP(&o.Writes, "w", "w", 0, "random updates")
	f.Int64VarP(&o.Reads, "r", "r", 10_000_000, "random reads")
	f.VarP(flagvalue.Path(&o.Path, flagvalue.KindDir), "p", "p", "directory of the database")
	f.IntVarP(&level, "l", "l", 3, "log level; from 4 on, the self-checks are printed too")
	return c
}

func runBench(c *cobra.Command, o benchpebble.Options, level int) error {
	m := progress.Meter(c)
	defer m.Finish()
	var log bytes.Buffer
	o.Loading = func(s load.Stage) { m.Show(s.Progress()) }
	o.Reading = func(s measure.Stage) { m.Show(s.Progress()) }
	o.Finish = func(r *record.Result) error {
		m.Finish()
		if r != nil {
			if level >= benchLevelChecks {
				for _, check := range r.Checks {
					fmt.Fprintf(c.ErrOrStderr(), "check %s: %v (%s)\n", check.Name, check.OK, check.Detail)
				}
			}
			if err := believable(r); err != nil {
				return err
			}
		}
		_, err := log.WriteTo(c.OutOrStdout())
		return err
	}
	return benchpebble.Run(c.Context(), o, benchpebble.NewLog(&log))
}
