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
		Short: "Serve and check adapters: stores in other languages, as child processes",
		Long: `An adapter is a program that makes a store available through getio's protocol: frames
over its standard input and output. docs/adapter.md describes the protocol. 'make
adapters' builds those in outside/adapters/.`,
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
		Long: `serve makes an engine of this binary available through the protocol, like the
adapters of other stores. Requests come in on standard input. Configurations are the
engine's presets.`,
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
