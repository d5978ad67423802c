package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/cmd/usage"
	"getio/engine"
	"getio/engine/engines"
	"getio/system/machine"
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

// versions are those of this binary, with its commit if it was built in a clone, and of the
// libraries in it.
func versions() string {
	version := machine.Version() + machine.Commit()
	for _, e := range engines.All() {
		version += fmt.Sprintf(", %s %s", e.Name(), e.Version())
		if l, ok := e.(engine.Linked); ok {
			version += fmt.Sprintf(" (%s)", l.Linked())
		}
	}
	return version
}
