package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/load"
	"getio/report"
	"getio/statedb/adapter"
	"getio/statedb/conformance"
	"getio/statedb/stores"
)

func adapterCommand() *cobra.Command {
	return groupCommand(cobra.Command{
		Use:   "adapter",
		Short: "Check an adapter: a program that lets getio measure other stores",
		Long: `An adapter is a program that lets getio measure a store written in any language.
statedb/adapter/protocol.md describes the protocol. 'make adapters' builds the adapters
whose sources are in statedb/adapters, and writes them to bin.`,
	}, adapterCheckCommand(), adapterServeCommand())
}

func adapterServeCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Let another program measure one of getio's engines",
		Long: `serve turns one of getio's engines into an adapter, which answers requests on standard
input.`,
		Example: `  getio adapter check -- getio adapter serve --engine pebblev2`,
		Args:    usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			store, err := stores.Serve(c.Context(), name)
			if err != nil {
				return err
			}
			return adapter.Serve(c.InOrStdin(), c.OutOrStdout(), store)
		},
	}
	flagvalue.Name(c.Flags(), &name, "engine", load.DefaultEngine, stores.Served(), strings.Join(stores.Served(), ", "))
	return c
}

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
		Long: `check tests an adapter against the protocol (statedb/adapter/protocol.md). It asks the
adapter to load keys, commit, look keys up and return proofs. It also sends wrong
requests, and kills the adapter in the middle of commits. It exits with 0 only if the adapter passes every step.`,
		Example: `  getio adapter check -- bin/getio-nomt
  getio adapter check --keys 100k -- getio adapter serve --engine pebblev2`,
		Args: usage.Some("adapter check needs an adapter: name its command after --, such as '%s -- ./my-adapter'"), ValidArgsFunction: anyFile,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	fs := c.Flags()
	fs.SetInterspersed(false) // what follows COMMAND is its own
	flagvalue.Count(fs, &f.plan.Keys, "keys", "2000", conformance.LeastKeys, conformance.MostKeys, "number of keys")
	flagvalue.Count(fs, &f.plan.Kills, "kills", "5", 0, conformance.MostKills, "kills in the middle of commits")
	fs.Uint64Var(&f.plan.Seed, "seed", 1, "seed of keys and values")
	flagvalue.TempDir(fs, &f.dir, "dir", "directory for temporary stores")
	fs.StringArrayVar(&f.plan.Options, "option", nil, "set one option of the adapter, as `NAME=VALUE`; repeatable")
	flagvalue.Duration(fs, &f.plan.Timeout, "timeout", maxTimeout, "how long the adapter may take to answer, such as 30s")
	fs.BoolVar(&f.json, "json", false, "print a record instead of text")
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
	return progress.Line(c, f.json, result)
}
