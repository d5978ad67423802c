package manual

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"getio/cmd/help"
)

// program has a command with what a page can have: a table, sections of flags, examples, commands in
// groups, and texts that would mean something to Markdown and roff.
func program() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{
		Use: "program", Short: "Do a_thing to *all* things", Run: run,
		Long: ".What begins with a dot, or has a back\\slash, <angles> and [brackets](x), stays.\n'A quote too. - 1. No list.\n\n" +
			"Codes:\n\n  0    success\n  -1   *failure*",
	}
	root.AddGroup(&cobra.Group{ID: "g", Title: "Some_commands:"})
	many := &cobra.Command{Use: "with-many_flags DIR", GroupID: "g", Short: "Have many flags", Run: run,
		Example: "  program with-many_flags -x \\\n      --flag-1 '*'"}
	for n := range 16 {
		many.Flags().Int(fmt.Sprintf("flag-%d", n), n, fmt.Sprintf("the flag of `number` %d", n))
	}
	many.Flags().StringP("out", "o", "", "file to write (default: *standard* output)")
	many.Flags().Bool("hidden", false, "not for users")
	many.Flags().Lookup("hidden").Hidden = true
	other := &cobra.Command{Use: "other", Short: "Be above another"}
	other.AddCommand(&cobra.Command{Use: "below [NAME]", Short: "Be below", Run: run})
	root.AddCommand(many, other, &cobra.Command{Use: "hidden", Hidden: true, Run: run})
	return root
}

func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000") // no page has a date, whatever cobra is told
	dir := t.TempDir()
	root := program()
	sections := []help.Section{{Heading: "Even", Flags: []string{"flag-0", "flag-2"}}, {Heading: "Output", Flags: []string{"out", "help"}}}
	require.NoError(t, Write(root, dir, "v1.2-3", sections))
	pages, err := os.ReadDir(dir)
	require.NoError(t, err)
	datadriven.RunTest(t, "testdata/pages", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "list" {
			var names strings.Builder
			for _, p := range pages {
				fmt.Fprintln(&names, p.Name())
			}
			return names.String()
		}
		page, err := os.ReadFile(filepath.Join(dir, d.CmdArgs[0].Key))
		require.NoError(t, err)
		return string(page)
	})
}

func TestCommandRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"man", "program man takes one directory, not 0 arguments: name the one for the pages"},
		{"man a b", "program man takes one directory, not 2 arguments: name the one for the pages"},
		{"man /no/such", "cannot write the manual pages (/no/such/program.1: no such file or directory): make the directory, or name another one"},
	} {
		root := program()
		root.AddCommand(Command("v1", nil))
		root.SilenceErrors, root.SilenceUsage = true, true
		root.SetArgs(strings.Fields(c.args))
		require.EqualError(t, root.Execute(), c.want)
	}
}
