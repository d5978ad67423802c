package main

import (
	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/outside/doctor"
	"getio/report"
)

func doctorCommand() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "doctor DIR",
		Short: "Say what a directory holds and which commands would work on it",
		Long: `doctor names the database in a directory, the processes that have it open, and what the
file system and the kernel allow. It then lists the commands that would work, and for the
others why not. It does not open the database, and takes about a second.

Processes of other users, and their databases, are seen by root only.`,
		Example: `  getio doctor /var/lib/geth/geth/chaindata`,
		Args:    directory,
		RunE: func(c *cobra.Command, args []string) error {
			d, err := doctor.Examine(engines.All(), args[0])
			if err != nil {
				return err
			}
			return show(c, json, d, report.Diagnosis)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print a getio.doctor/1 record instead")
	return c
}
