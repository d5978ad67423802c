// Package help lays out the help of commands: flags in sections, texts wrapped, commands in the order
// in which they were added.
package help

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/report"
)

// Section is a heading under which the help of a command with many flags lists some of them.
type Section struct {
	Heading string
	Flags   []string
}

const (
	rest      = "Flags" // the heading of flags that are in no section; it comes first
	manyFlags = 16      // from which on flags are listed in sections
)

// Format sets how the help of a command and those below it is laid out.
func Format(root *cobra.Command, sections []Section) {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("flagSections", func(flags *pflag.FlagSet) string { return describe(flags, sections) })
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"Flags:\n{{.LocalFlags.FlagUsages", "{{flagSections .LocalFlags", 1))
	cobra.AddTemplateFunc("paragraphs", paragraphs)
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{. |", "{{. | paragraphs |", 1))
}

// describe describes flags, under the headings of sections if there are many.
func describe(flags *pflag.FlagSet, sections []Section) string {
	var text strings.Builder
	for _, g := range Groups(flags, sections) {
		fmt.Fprintf(&text, "%s:\n%s\n", g.Heading, g.Flags.FlagUsagesWrapped(report.Width))
	}
	return text.String()
}

// Group is flags that are listed under one heading.
type Group struct {
	Heading string
	Flags   *pflag.FlagSet
}

// Groups groups flags by sections if there are many, in the order of the sections.
func Groups(flags *pflag.FlagSet, sections []Section) (groups []Group) {
	headings, count := map[string]string{}, 0
	flags.VisitAll(func(*pflag.Flag) { count++ })
	if count >= manyFlags {
		for _, s := range sections {
			for _, name := range s.Flags {
				headings[name] = s.Heading
			}
		}
	}
	sets := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		heading := cmp.Or(headings[f.Name], rest)
		if sets[heading] == nil {
			sets[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
		}
		sets[heading].AddFlag(f)
	})
	for _, s := range append([]Section{{Heading: rest}}, sections...) {
		if set := sets[s.Heading]; set != nil {
			groups = append(groups, Group{s.Heading, set})
		}
	}
	return groups
}

// paragraphs wraps the paragraphs of a description.
func paragraphs(description string) string {
	all := strings.Split(description, "\n\n")
	for i, p := range all {
		if !strings.HasPrefix(p, " ") { // a list or a table stays as it is
			all[i] = strings.TrimSuffix(report.Prose(p), "\n")
		}
	}
	return strings.Join(all, "\n\n")
}
