package main

import "github.com/spf13/cobra"

func chainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "chain",
		Short: "Measure client operations on chaindata: their keys and reads",
		Long: `chain follows client operations, such as reading a block, a transaction or a balance, to
the keys that are looked up, the table blocks that these need, and the resulting reads.
It uses go-ethereum's own code and reads any chaindata directory of geth.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(chainBuildCommand(), chainMeasureCommand(), chainWriteCommand())
	return c
}
