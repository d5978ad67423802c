package main

import (
	"strings"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/usage"
	"getio/load"
	"getio/statedb/adapter"
	"getio/statedb/stores"
)

func adapterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "adapter",
		Short: "Check an adapter: a program that lets getio measure other stores",
		Long: `An adapter is a program that lets getio measure a store written in any language.
statedb/adapter/protocol.md describes the protocol. 'make adapters' builds the adapters
whose sources are in statedb/adapters, and writes them to bin.`,
		Args: usage.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(adapterCheckCommand(), adapterServeCommand())
	return c
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
