package main

import "github.com/spf13/cobra"

func chainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "chain",
		Short: "Measure client operations on chaindata: their keys and reads",
		Long: `chain shows for client operations, such as reading a block or a balance, which keys they
look up, which table blocks these need, and how many reads result.
It uses go-ethereum's own code and reads any chaindata directory of geth.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(chainBuildCommand(), chainMeasureCommand(), chainWriteCommand())
	return c
}
