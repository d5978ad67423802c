package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"getio/cmd/usage"
	"getio/system/atomicfile"
	"getio/system/machine"
)

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
