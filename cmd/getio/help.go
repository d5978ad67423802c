package main

import (
	"github.com/spf13/cobra"

	"getio/cmd/help"
	"getio/cmd/usage"
)

// helpCommand is cobra's own, but that it refuses unknown commands.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command...]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || about == c.Root() && len(rest) > 0 {
				return usage.Wrap(usage.KnownCommand(c.Root(), args))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// sections are the headings under which the help of a command with many flags lists them.
var sections = []help.Section{
	{Heading: "Keys", Flags: []string{"absent", "hotset", "keys-file", "multiget", "scan", "seed", "table", "trace", "zipf"}},
	{Heading: "Run", Flags: []string{"exact-split", "gets", "ops", "rate", "rounds", "time", "until-steady", "update", "update-rate", "verify", "warmup", "workers"}},
	{Heading: "Database and cache", Flags: []string{"all-shards", "ancient", "cache", "engine", "last-level-filters", "live", "max-open-files", "option", "policy", "preset", "shards"}},
	{Heading: "Device", Flags: []string{"iops", "page-cache", "read-latency"}},
	{Heading: "Output", Flags: []string{"benchfmt", "distribution", "help", "json", "latency", "metrics-addr", "out", "record"}},
}
