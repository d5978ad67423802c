package main

import (
	"github.com/spf13/cobra"

	"getio/cmd/usage"
)

func chainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "chain",
		Short: "Measure what getBalance and other operations read",
		Long: `chain measures client operations, such as reading a balance or a block: which keys each
operation looks up, and how many reads that costs. It uses go-ethereum's own code.`,
		Args: usage.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(chainBuildCommand(), chainMeasureCommand(), chainWriteCommand())
	return c
}
