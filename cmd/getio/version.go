package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/cmd/usage"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of getio and of the libraries in it",
		Args:  usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "getio version %s\n", versions())
			return err
		},
	}
}
