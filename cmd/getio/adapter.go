package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/load"
	"getio/outside/adapter"
	"getio/outside/mdbx"
	"getio/outside/served"
)

func adapterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "adapter",
		Short: "Stores in other languages, measured as child processes",
		Long: `An adapter is a program that puts a store behind getio's protocol: frames over
its standard input and output. docs/adapter.md describes it whole; 'make adapters'
builds those in outside/adapters/.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(adapterCheckCommand(), adapterServeCommand())
	return c
}

func adapterServeCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Be the adapter of an engine that this getio has",
		Long: `serve puts an engine of this binary behind the protocol, as the adapters of
other stores do: what it is asked for comes in on standard input. Its presets are
the configurations.`,
		Example: `  getio adapter check -- getio adapter serve --engine pebblev2`,
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return serve(c.Context(), name) },
	}
	c.Flags().StringVar(&name, "engine", load.DefaultEngine, "engine: "+strings.Join(servedNames(), ", "))
	return c
}

// mdbxName is the store that is behind the protocol alone.
const mdbxName = "mdbx"

func servedNames() []string { return append(engines.All().Names(), mdbxName) }

func serve(ctx context.Context, name string) error {
	offered, err := servedEngine(ctx, name)
	if err != nil {
		return err
	}
	return adapter.Serve(os.Stdin, os.Stdout, offered)
}

func servedEngine(ctx context.Context, name string) (adapter.Engine, error) {
	if name == mdbxName {
		return mdbx.New()
	}
	e, err := engines.All().ByName(name)
	if err != nil {
		return nil, fmt.Errorf("engine %q is not known: use one of %s", name, strings.Join(servedNames(), ", "))
	}
	if _, err := e.Configure("", nil); err != nil { // of one that was not built in, the way to get it
		return nil, err
	}
	return served.New(ctx, e), nil
}
