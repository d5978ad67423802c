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
		Short: "Check or serve adapters, which connect stores in other languages",
		Long: `An adapter is a program that connects a store to getio: it answers requests on its
standard input and output (docs/adapter.md). 'make adapters' builds the adapters in
outside/adapters.`,
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
		Short: "Serve an engine of this binary as an adapter",
		Long: `serve answers the requests of the adapter protocol with an engine of this binary, until
standard input ends. The engine's presets are its configurations.`,
		Example: `  getio adapter check -- getio adapter serve --engine pebblev2`,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			store, err := stores.Serve(c.Context(), name)
			if err != nil {
				return err
			}
			return adapter.Serve(c.InOrStdin(), c.OutOrStdout(), store)
		},
	}
	c.Flags().StringVar(&name, "engine", load.DefaultEngine, "engine: "+strings.Join(stores.Served(), ", "))
	return c
}
