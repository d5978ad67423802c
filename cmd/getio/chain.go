package main

import (
	"github.com/spf13/cobra"

	"getio/cmd/usage"
)

func chainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "chain",
		Short: "Measure client operations on chaindata: their keys and reads",
		Long: `chain measures client operations, such as reading a balance or a block: which keys they
look up, and how many reads result. It uses go-ethereum's own code.`,
		Args: usage.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(chainBuildCommand(), chainMeasureCommand(), chainWriteCommand())
	return c
}
