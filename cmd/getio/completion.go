package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/numbers/units"
)

// shells are those that a completion script can be written for.
var shells = []string{"bash", "fish", "zsh"}

// completionCommand prints the script that lets a shell complete the command line. The scripts are cobra's.
func completionCommand() *cobra.Command {
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
		ValidArgs: shells,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return fmt.Errorf("%s takes the name of a shell: %s", c.CommandPath(), units.Or(shells))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), c.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return root.GenZshCompletion(out)
		},
	}
}

// What arguments complete to. Those of other commands complete to nothing.
var (
	oneDirectory = onlyFirst(nil, cobra.ShellCompDirectiveFilterDirs)
	onePlan      = onlyFirst([]string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt)
	directories  = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	records      = cobra.FixedCompletions([]string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt)
	anyFile      = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
)

// onlyFirst completes the first argument alone.
func onlyFirst(words []string, how cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words, how
	}
}

// completeFlags lets the flags of all commands complete, if args are those of a shell that asks for it. Registering
// them takes milliseconds, which other commands are spared.
func completeFlags(root *cobra.Command, args []string) {
	if len(args) == 0 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	flagvalue.Complete(root)
}
