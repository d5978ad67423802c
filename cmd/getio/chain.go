package main

import "github.com/spf13/cobra"

func chainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "chain",
		Short: "A client's operations on chaindata: from getBalance and getBlock to disk reads",
		Long: `chain goes from what a client is asked for, a block, a transaction, a balance, to
the keys that it gets, the blocks of tables that these ask for, and the reads that
come of it: by go-ethereum's own code, on any chaindata directory of geth's.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(chainBuildCommand(), chainMeasureCommand(), chainWriteCommand())
	return c
}
