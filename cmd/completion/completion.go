// Package completion completes the command line in a shell. What it offers comes from the types of
// the flags and from the usage lines of the commands, so no command registers anything itself.
package completion

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/cmd/flagvalue"
	"getio/numbers/units"
)

// Shells are those that a script can be written for.
var Shells = []string{"bash", "fish", "zsh"}

// Command prints the script that lets a shell complete the command line. The scripts are cobra's.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|fish|zsh",
		Short: "Print the script that completes getio's commands in a shell",
		Long: `completion prints a script for bash, fish or zsh. getio's packages install this script.
Without a package, use it in one session of bash:

  source <(getio completion bash)

or install it for all sessions of fish or zsh:

  getio completion fish > ~/.config/fish/completions/getio.fish
  getio completion zsh > "${fpath[1]}/_getio"

In bash, completion needs the package bash-completion.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(Shells, args[0]) {
				return fmt.Errorf("%s takes the name of a shell: %s", c.CommandPath(), units.Or(Shells))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return Script(c.Root(), args[0], c.OutOrStdout())
		},
	}
}

// Script writes the completion script of one of the Shells.
func Script(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return root.GenZshCompletion(w)
}

// Prepare lets a program complete its flags and arguments if args, without its name, are those of a
// shell that asks for it. Registering all flags takes milliseconds, which other commands are spared.
func Prepare(root *cobra.Command, args []string) {
	if len(args) > 0 && slices.Contains([]string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, args[0]) {
		root.InitDefaultHelpCmd() // cobra adds it only when it executes
		register(root)
	}
}

func register(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() != "bool" {
			// It fails for a flag that is registered already, which completes as it did then.
			_ = c.RegisterFlagCompletionFunc(f.Name, flagCompletion(f))
		}
	})
	c.ValidArgsFunction = arguments
	for _, below := range c.Commands() {
		register(below)
	}
}

// flagCompletion completes the value of a flag: words, files or directories.
func flagCompletion(f *pflag.Flag) cobra.CompletionFunc {
	words, list := flagvalue.Words(f)
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch {
		case f.Value.Type() == flagvalue.KindDir:
			return nil, cobra.ShellCompDirectiveFilterDirs
		case f.Value.Type() == flagvalue.KindFile:
			return words, cobra.ShellCompDirectiveDefault
		case list:
			return further(words, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// further offers the words that a list may go on with, each behind what is typed of the list.
func further(words []string, typed string) (lists []string) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, w := range words {
		if !slices.Contains(strings.Split(before, ","), w) {
			lists = append(lists, before+w)
		}
	}
	return lists
}

// arguments completes an argument by the word that stands for it in the usage line: a directory for
// DIR, a file with an extension for NAME.EXT, a command for [command], one of some words for
// a|b|c, any file behind "--", and nothing for all others.
func arguments(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	stands := standsFor(c.Use, len(args))
	extension := filepath.Ext(stands)
	switch {
	case stands == "command":
		return commands(c.Root(), args), cobra.ShellCompDirectiveNoFileComp
	case slices.Contains(strings.Split(stands, "|"), "DIR"):
		return nil, cobra.ShellCompDirectiveFilterDirs
	case extension != "":
		return []string{extension[1:]}, cobra.ShellCompDirectiveFilterFileExt
	case stands == "COMMAND", stands == "ARGS":
		return nil, cobra.ShellCompDirectiveDefault
	case strings.Contains(stands, "|") && strings.ToLower(stands) == stands:
		return strings.Split(stands, "|"), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// standsFor returns the word of a usage line that stands for its argument number n, without
// brackets. A word that ends in "..." stands for all further arguments.
func standsFor(use string, n int) string {
	words := strings.Fields(use)[1:]
	words = slices.DeleteFunc(words, func(w string) bool { return w == "[flags]" || w == "--" })
	for i, w := range words {
		word := strings.Trim(w, "[]")
		name, repeated := strings.CutSuffix(word, "...")
		switch {
		case strings.HasPrefix(word, "--"):
			return "" // flags that the command needs
		case i == n, repeated:
			return name
		}
	}
	return ""
}

// commands lists the commands below the one that names lead to.
func commands(root *cobra.Command, names []string) (below []string) {
	c, rest, err := root.Find(names)
	if err != nil || len(rest) > 0 {
		return nil
	}
	for _, b := range c.Commands() {
		if b.IsAvailableCommand() {
			below = append(below, cobra.CompletionWithDesc(b.Name(), b.Short))
		}
	}
	return below
}
