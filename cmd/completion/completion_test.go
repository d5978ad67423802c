package completion

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/cmd/flagvalue"
)

// program has a command for each kind of argument and a flag for each kind of value.
func program() *cobra.Command {
	root := &cobra.Command{Use: "program"}
	for _, use := range []string{
		"one DIR", "flags DIR --cache SIZE", "mixed [DIR|PID|NAME]", "process PID|NAME", "words small|large",
		"files RESULTS.jsonl...", "dirs DIR DIR...", "run [flags] -- COMMAND ARGS", "tree --dataset NAME | --shape FILE", "none",
	} {
		root.AddCommand(&cobra.Command{Use: use, Short: "a command", Run: func(*cobra.Command, []string) {}})
	}
	under := &cobra.Command{Use: "under"}
	under.AddCommand(&cobra.Command{Use: "below", Short: "one below", Run: func(*cobra.Command, []string) {}})
	root.AddCommand(under, Command())
	root.SetHelpCommand(&cobra.Command{Use: "help [command...]", Short: "help", Run: func(*cobra.Command, []string) {}})
	flags := &cobra.Command{Use: "values", Run: func(*cobra.Command, []string) {}}
	f := flags.Flags()
	var text string
	var list []string
	var count int
	flagvalue.Choice(f, &text, "choice", "", []string{"a", "b"}, "")
	flagvalue.Choices(f, &list, "choices", []string{"a", "b", "c"}, "")
	flagvalue.Name(f, &text, "name", "", []string{"x", "y"}, "")
	flagvalue.Names(f, &list, "names", []string{"x", "y"}, "")
	flagvalue.File(f, &text, "file", "", "small")
	flagvalue.Dir(f, &text, "dir", "", "")
	flagvalue.Count(f, &count, "count", "", 1, 9, "")
	f.StringVar(&text, "text", "", "")
	f.Bool("bool", false, "")
	root.AddCommand(flags)
	return root
}

// TestCompletions runs cobra's hidden command that the scripts run. Its last line names what the
// shell does besides: 0 completes files, 4 nothing, 6 nothing and no space, 8 files with these
// extensions, 16 directories.
func TestCompletions(t *testing.T) {
	datadriven.RunTest(t, "testdata/completions", func(t *testing.T, d *datadriven.TestData) string {
		root := program()
		args := []string{cobra.ShellCompRequestCmd}
		for _, a := range d.CmdArgs {
			args = append(args, a.String())
		}
		args = append(args, d.Input) // the word that is being typed
		Prepare(root, args)
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(new(bytes.Buffer))
		root.SetArgs(args)
		require.NoError(t, root.Execute())
		return out.String()
	})
}

func TestCommand(t *testing.T) {
	for _, shell := range Shells {
		root := program()
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs([]string{"completion", shell})
		require.NoError(t, root.Execute())
		first, _, _ := strings.Cut(out.String(), "\n")
		assert.Regexp(t, "(# "+shell+" completion.* for|#compdef) program", first)
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		root := program()
		root.SilenceErrors, root.SilenceUsage = true, true
		root.SetArgs(args)
		assert.EqualError(t, root.Execute(), "program completion takes the name of a shell: bash, fish or zsh")
	}
}
