package main

import (
	"strings"

	"github.com/spf13/cobra"

	"getio/load"
	"getio/outside/adapter"
	"getio/outside/stores"
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
		RunE:    func(c *cobra.Command, _ []string) error { return serve(c, name) },
	}
	c.Flags().StringVar(&name, "engine", load.DefaultEngine, "engine: "+strings.Join(stores.Served(), ", "))
	return c
}

func serve(c *cobra.Command, name string) error {
	store, err := stores.Serve(c.Context(), name)
	if err != nil {
		return err
	}
	return adapter.Serve(c.InOrStdin(), c.OutOrStdout(), store)
}
