package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/report"
)

// helpCommand is cobra's own, but that it refuses unknown commands.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || about == c.Root() && len(rest) > 0 {
				return misusedIf(knownCommand(c.Root(), args))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// sections are the headings under which the help of a command with many flags lists them.
var sections = []struct {
	heading string
	flags   []string
}{
	{sectionOfRest, nil},
	{"Keys", []string{"absent", "hotset", "keys-file", "multiget", "scan", "seed", "trace", "zipf"}},
	{"Run", []string{"exact-split", "gets", "ops", "rate", "rounds", "until-steady", "update", "update-rate", "verify", "warmup", "workers"}},
	{"Database and cache", []string{"all-shards", "ancient", "cache", "engine", "last-level-filters", "live", "max-open-files", "option", "policy", "preset", "shards"}},
	{"Device", []string{"iops", "page-cache", "read-latency"}},
	{"Output", []string{"benchfmt", "distribution", "help", "json", "latency", "metrics-addr", "out", "record"}},
}

const (
	sectionOfRest = "Flags"
	manyFlags     = 16 // from which on flags are listed in sections
)

// formatHelp sets how the help of a command and those below it is laid out: commands in the
// order in which they were added, flags in sections, texts wrapped.
func formatHelp(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("flagSections", flagSections)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"Flags:\n{{.LocalFlags.FlagUsages", "{{flagSections .LocalFlags", 1))
	wrapLong(root)
}

// flagSections describes flags, under the headings of sections if there are many.
func flagSections(flags *pflag.FlagSet) string {
	headings, count := map[string]string{}, 0
	flags.VisitAll(func(*pflag.Flag) { count++ })
	if count >= manyFlags {
		for _, s := range sections {
			for _, name := range s.flags {
				headings[name] = s.heading
			}
		}
	}
	sets := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		heading := cmp.Or(headings[f.Name], sectionOfRest)
		if sets[heading] == nil {
			sets[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
		}
		sets[heading].AddFlag(f)
	})
	var text strings.Builder
	for _, s := range sections {
		if set := sets[s.heading]; set != nil {
			fmt.Fprintf(&text, "%s:\n%s\n", s.heading, set.FlagUsagesWrapped(report.Width))
		}
	}
	return text.String()
}

func wrapLong(c *cobra.Command) {
	paragraphs := strings.Split(c.Long, "\n\n")
	for i, p := range paragraphs {
		if !strings.HasPrefix(p, " ") { // a list or a table stays as it is
			paragraphs[i] = strings.TrimSuffix(report.Prose(p), "\n")
		}
	}
	c.Long = strings.Join(paragraphs, "\n\n")
	for _, below := range c.Commands() {
		wrapLong(below)
	}
}
