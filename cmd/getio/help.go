package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"getio/cmd/usage"
	"getio/report"
	"getio/system/atomicfile"
	"getio/system/machine"
)

// addHelpCommand adds cobra's own, but that it refuses unknown commands.
func addHelpCommand(root *cobra.Command) {
	root.SetHelpCommandGroupID(groupHelp)
	root.InitDefaultHelpCmd()
	c, _, _ := root.Find([]string{"help"}) // it was just added
	c.Use, c.Long, c.Run = "help [command...]", "", nil
	c.RunE = func(c *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err != nil || about == root && len(rest) > 0 {
			return usage.Wrap(usage.KnownCommand(root, args))
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	}
}

// sections are the headings under which the help of a command with many flags lists them.
var sections = []struct{ heading, flags string }{
	{"Flags", ""}, // those that have no other
	{"Keys", "absent hotset keys-file multiget scan seed table trace zipf"},
	{"Run", "exact-split gets ops rate rounds time until-steady update update-rate verify warmup workers"},
	{"Database and cache", "all-shards ancient cache engine last-level-filters live max-open-files option policy preset shards"},
	{"Device", "iops page-cache read-latency"},
	{"Output", "benchfmt distribution help json latency metrics-addr out record"},
}

// manyFlags is from how many on flags are listed in sections.
const manyFlags = 16

// formatHelp sets how the help of a command and those below it is laid out: flags in sections, texts wrapped,
// commands in the order in which they were added.
func formatHelp(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("flagSections", flagSections)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"Flags:\n{{.LocalFlags.FlagUsages", "{{flagSections .LocalFlags", 1))
	cobra.AddTemplateFunc("paragraphs", paragraphs)
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{. |", "{{. | paragraphs |", 1))
}

// flagSections describes flags, in sections if there are many.
func flagSections(flags *pflag.FlagSet) string {
	count, listed := 0, make([]pflag.FlagSet, len(sections))
	flags.VisitAll(func(*pflag.Flag) { count++ })
	flags.VisitAll(func(f *pflag.Flag) {
		i := 0
		if count >= manyFlags {
			i = slices.IndexFunc(sections, func(s struct{ heading, flags string }) bool {
				return slices.Contains(strings.Fields(s.flags), f.Name)
			})
		}
		listed[max(i, 0)].AddFlag(f)
	})
	var text strings.Builder
	for i := range listed {
		if listed[i].HasFlags() {
			fmt.Fprintf(&text, "%s:\n%s\n", sections[i].heading, listed[i].FlagUsagesWrapped(report.Width))
		}
	}
	return text.String()
}

func paragraphs(description string) string {
	all := strings.Split(description, "\n\n")
	for i, p := range all {
		if !strings.HasPrefix(p, " ") { // a list or a table stays as it is
			all[i] = strings.TrimSuffix(report.Prose(p), "\n")
		}
	}
	return strings.Join(all, "\n\n")
}

const groupHelp = "Help:"

// manualCommand writes the manual pages. It is hidden: packages install the pages.
func manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages, for a package",
		Hidden: true,
		Args:   usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error {
			if err := writePages(c.Root(), args[0]); err != nil {
				return fmt.Errorf("cannot write the manual pages (%w): make the directory, or name another one", err)
			}
			return nil
		},
	}
}

// noDate stands for no date: cobra would put today's on the pages. The version says when it was made.
var noDate = time.Unix(0, 0).UTC()

// A hyphen is typed, not typeset: options and names of files are copied from pages.
var typed = strings.NewReplacer("-", `\-`, noDate.Format(`"Jan 2006"`), `""`)

// writePages writes a page for a command and each one below it into a directory.
func writePages(c *cobra.Command, dir string) error {
	c.DisableAutoGenTag = true
	var page bytes.Buffer
	if err := doc.GenMan(c, &doc.GenManHeader{Source: "getio " + machine.Version(), Manual: "getio", Date: &noDate}, &page); err != nil {
		return err
	}
	path := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
	if err := atomicfile.Replace(path, []byte(typed.Replace(page.String()))); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			if err := writePages(below, dir); err != nil {
				return err
			}
		}
	}
	return nil
}
