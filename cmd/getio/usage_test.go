package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"getio/report"
)

// TestHelpIsNarrow holds every command's help to the width that it is written for.
func TestHelpIsNarrow(t *testing.T) {
	for _, root := range []*cobra.Command{rootCommand(), benchCommand()} {
		formatHelp(root)
		everyCommand(root, func(c *cobra.Command) {
			c.InitDefaultHelpFlag()
			var help strings.Builder
			c.SetOut(&help)
			require.NoError(t, c.Help())
			if !strings.Contains(help.String(), "--help") {
				t.Fatalf("the help of %s names no flags: %q", c.CommandPath(), help.String())
			}
			for line := range strings.Lines(help.String()) {
				if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > report.Width {
					t.Errorf("%s --help has a line of %d columns, over %d: %s", c.CommandPath(), utf8.RuneCountInString(line), report.Width, line)
				}
			}
		})
	}
}

func everyCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		everyCommand(below, visit)
	}
}
