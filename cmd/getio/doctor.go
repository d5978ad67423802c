package main

import (
	"github.com/spf13/cobra"

	"getio/cmd/doctor"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/report"
)

func doctorCommand() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "doctor DIR",
		Short: "Say what a directory holds and which commands would work on it",
		Long: `doctor says what kind of database a directory holds, which processes have it open, and
which getio commands would work on it. If nobody has the database open, doctor opens it
read-only, to see whether it is damaged. This usually takes a few seconds at most.

Run it as root to see the processes of other users.`,
		Example: `  getio doctor /var/lib/geth/geth/chaindata`,
		Args:    usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error {
			d, err := doctor.Examine(c.Context(), engines.All(), args[0])
			if err != nil {
				return err
			}
			return show(c, json, d, report.Diagnosis)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print a record instead of text")
	return c
}
