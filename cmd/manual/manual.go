// Package manual writes the manual pages of the commands, from the texts of their help.
//
// cobra's generator writes a page from a command and turns Markdown into roff. It knows nothing of
// the sections of package help, so the commands are prepared for it: options become definition
// lists in their description, and the texts are escaped.
package manual

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"getio/cmd/help"
	"getio/system/atomicfile"
)

// Command writes the pages into a directory. It is hidden: packages install the pages.
func Command(version string, sections []help.Section) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages, for a package",
		Hidden: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s takes one directory, not %d arguments: name the one for the pages", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := Write(c.Root(), args[0], version, sections); err != nil {
				return fmt.Errorf("cannot write the manual pages (%w): make the directory, or name another one", err)
			}
			return nil
		},
	}
}

// Write writes a page for each command into a directory. The commands cannot be run afterwards:
// their texts are those of the pages.
func Write(root *cobra.Command, dir, version string, sections []help.Section) error {
	prepare(root, sections)
	return write(root, dir, version)
}

func write(c *cobra.Command, dir, version string) error {
	page, err := render(c, version)
	if err != nil {
		return err
	}
	name := strings.NewReplacer(" ", "-", `\`, "").Replace(c.CommandPath()) + ".1"
	path := filepath.Join(dir, name)
	if err := atomicfile.Replace(path, page); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			if err := write(below, dir, version); err != nil {
				return err
			}
		}
	}
	return nil
}

// noDate stands for no date: cobra would put today's on the pages. The version says when it was made.
var noDate = time.Unix(0, 0).UTC()

func render(c *cobra.Command, version string) ([]byte, error) {
	header := doc.GenManHeader{Section: "1", Source: "getio " + version, Manual: "getio", Date: &noDate}
	var page bytes.Buffer
	err := doc.GenMan(c, &header, &page)
	return roff(page.String()), err
}

// roff corrects what md2man makes of a page.
func roff(page string) []byte {
	title, rest, _ := strings.Cut(strings.TrimPrefix(page, ".nh\n"), "\n")
	title = strings.Replace(title, noDate.Format(`"Jan 2006"`), `""`, 1)
	// The title resets what is set before it: no hyphenation, and no justification.
	page = title + "\n.nr HY 0\n.ad l\n" + strings.TrimLeft(rest, "\n")
	// A hyphen is typed, not typeset: options and names of files are copied from pages.
	return []byte(strings.NewReplacer(`\-`, `\-`, "-", `\-`).Replace(page))
}

// prepare makes Markdown of the texts of a command and those below it.
func prepare(c *cobra.Command, sections []help.Section) {
	c.DisableAutoGenTag = true
	c.InitDefaultHelpFlag()
	c.Use = escape(synopsis(c))
	var text strings.Builder
	for paragraph := range strings.SplitSeq(cmp.Or(c.Long, c.Short), "\n\n") {
		text.WriteString(markdown(paragraph))
	}
	text.WriteString(commandList(c))
	text.WriteString("\n# OPTIONS\n\n")
	groups := help.Groups(c.NonInheritedFlags(), sections)
	for _, g := range groups {
		if len(groups) > 1 {
			fmt.Fprintf(&text, "### %s\n\n", g.Heading)
		}
		g.Flags.VisitAll(func(f *pflag.Flag) { text.WriteString(option(f)) })
	}
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // they are in the text
	c.Long = text.String()
	for _, below := range c.Commands() {
		prepare(below, sections)
	}
	c.Short = escape(c.Short) // after the list of the parent
}

// synopsis is the usage line of a command, without the names of those above it.
func synopsis(c *cobra.Command) string {
	line := c.UseLine()
	if c.HasParent() {
		line = strings.TrimPrefix(line, c.Parent().CommandPath()+" ")
	}
	if c.HasAvailableSubCommands() && c.Use == c.Name() {
		line = strings.Replace(line, c.Name(), c.Name()+" [command]", 1)
	}
	return line
}

// markdown is a paragraph of a help text. What is indented, a list or a table, stays as it is.
func markdown(paragraph string) string {
	if strings.HasPrefix(paragraph, " ") {
		return "```\n" + paragraph + "\n```\n\n"
	}
	return escape(paragraph) + "\n\n"
}

// commandList lists the commands below one, by their groups.
func commandList(c *cobra.Command) string {
	var text strings.Builder
	list := func(group string) {
		for _, below := range c.Commands() {
			if below.GroupID == group && below.IsAvailableCommand() {
				fmt.Fprintf(&text, "**%s %s**\n: %s\n\n", c.CommandPath(), escape(below.Name()), escape(below.Short))
			}
		}
	}
	if c.HasAvailableSubCommands() {
		text.WriteString("\n# COMMANDS\n\n")
	}
	list("")
	for _, g := range c.Groups() {
		fmt.Fprintf(&text, "### %s\n\n", escape(strings.TrimSuffix(g.Title, ":")))
		list(g.ID)
	}
	return text.String()
}

// option describes a flag, as help does.
func option(f *pflag.Flag) string {
	if f.Hidden {
		return ""
	}
	value, usage := pflag.UnquoteUsage(f)
	name := "**--" + f.Name + "**"
	if f.Shorthand != "" {
		name = "**-" + f.Shorthand + "**, " + name
	}
	if value != "" {
		name += " *" + escape(value) + "*"
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	return name + "\n: " + escape(usage) + "\n\n"
}

// escape keeps Markdown from reading a text as anything but text.
func escape(text string) string {
	var escaped strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]()#+-.!:|&<>~^", r) {
			escaped.WriteByte('\\')
		}
		escaped.WriteRune(r)
	}
	return escaped.String()
}
