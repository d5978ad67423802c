package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/outside/adapter/conformance"
	"getio/record"
	"getio/report"
)

type adapterCheckFlags struct {
	plan conformance.Plan
	dir  string
	json bool
}

func adapterCheckCommand() *cobra.Command {
	var f adapterCheckFlags
	c := &cobra.Command{
		Use:   "check [flags] -- COMMAND [ARGS...]",
		Short: "Check that an adapter follows the protocol",
		Long: `check starts an adapter and runs a complete session with each of its configurations, on
a small state in a temporary directory. It loads, commits and updates records, and looks
up present and absent keys; every value is compared. It checks that true proofs verify and
that false ones are rejected. It drops caches, kills the adapter at rest and in the middle
of commits, and restarts it. It makes requests that the adapter must refuse.
The exit code is 0 only if the adapter follows docs/adapter.md throughout.`,
		Example: `  getio adapter check -- bin/getio-nomt
  getio adapter check --keys 100k -- getio adapter serve --engine pebblev2`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("adapter check needs an adapter: name its command after --, such as 'getio adapter check -- ./my-adapter'")
			}
			return nil
		},
		Annotations: map[string]string{cleansUp: ""},
		RunE:        func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	fs := c.Flags()
	flagvalue.Count(fs, &f.plan.Keys, "keys", "2000", conformance.LeastKeys, conformance.MostKeys, "keys of the state, such as 2000 or 100k")
	flagvalue.Count(fs, &f.plan.Kills, "kills", "5", 0, conformance.MostKills, "how often the adapter is killed in the middle of a commit, with each configuration")
	fs.Uint64Var(&f.plan.Seed, "seed", 1, "seed of keys and values")
	fs.StringVar(&f.dir, "dir", os.TempDir(), "where to make a temporary directory for the stores")
	fs.StringArrayVar(&f.plan.Options, "option", nil, "an option for the adapter, NAME=VALUE (repeatable)")
	flagvalue.Duration(fs, &f.plan.Timeout, "timeout", maxTimeout, "how long the adapter may be silent, such as 30s (default: 30s for hello, 1m for lookups, 10m for the rest)")
	fs.BoolVar(&f.json, "json", false, "print the result as one line of JSON")
	return c
}

// maxTimeout catches typing errors.
const maxTimeout = 24 * time.Hour

func (f *adapterCheckFlags) run(c *cobra.Command, command []string) error {
	log := report.NewAdapterLog(prose(c, f.json))
	f.plan.Command = command
	result, err := f.plan.Check(c.Context(), f.dir, log.Passed)
	var failed *conformance.Failure
	switch {
	case errors.Is(err, context.Canceled):
		return stopped("the adapter was ended, and its stores are removed")
	case errors.As(err, &failed):
		log.Failed(failed.Step)
	}
	if err != nil {
		return err
	}
	log.Finish(result)
	if f.json {
		return record.WriteLine(c.OutOrStdout(), result)
	}
	return nil
}
