package flagvalue

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completer is a value that offers what it may be, given what is typed of it.
type completer interface {
	complete(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)
}

// Complete lets cobra complete the values of this package's flags, of c and the commands below it.
func Complete(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(completer); ok {
			// It fails for a flag that is registered already, which completes as it did then.
			_ = c.RegisterFlagCompletionFunc(f.Name, v.complete)
		}
	})
	for _, below := range c.Commands() {
		Complete(below)
	}
}

// complete offers words, and names of files or directories.
func (v *value[T]) complete(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch {
	case v.kind == KindDir:
		return nil, cobra.ShellCompDirectiveFilterDirs
	case v.kind == KindFile:
		return v.words, cobra.ShellCompDirectiveDefault
	case v.list:
		return v.further(typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return v.words, cobra.ShellCompDirectiveNoFileComp
}

// further offers the words that a list may go on with, each behind what is typed of the list.
func (v *value[T]) further(typed string) (lists []string) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, w := range v.words {
		if !slices.Contains(strings.Split(before, ","), w) {
			lists = append(lists, before+w)
		}
	}
	return lists
}
