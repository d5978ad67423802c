package main

import "github.com/spf13/cobra"

func chainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "chain",
		Short: "Measure client operations on chaindata, from getBalance to disk reads",
		Long: `chain follows what a client is asked for (a block, a transaction, a balance) down to
the keys it looks up, the blocks of tables these need, and the reads that result. It
uses go-ethereum's own code, on any chaindata directory of geth.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(chainBuildCommand(), chainMeasureCommand(), chainWriteCommand())
	return c
}
