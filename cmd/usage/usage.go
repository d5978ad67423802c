// Package usage checks the arguments and flags of commands. Its errors exit with code 2.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
)

// Error is an error of the command line. Nothing was opened.
type Error struct{ error }

// Unwrap returns what is wrong.
func (e Error) Unwrap() error { return e.error }

// Errorf words an Error.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// Wrap marks the error of a check of the command line; nil stays nil.
func Wrap(err error) error {
	if err == nil {
		return nil
	}
	return Error{err}
}

// Mark marks the errors of flags and arguments of a command and those below it.
func Mark(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return Error{flagvalue.Error(c, err)} })
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error { return Wrap(check(c, args)) }
	}
	for _, below := range c.Commands() {
		Mark(below)
	}
}

// KnownCommand refuses what is left over of a command line that names no command below c.
func KnownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	// Two edits turn l0 into any word of two letters.
	like := slices.DeleteFunc(c.SuggestionsFor(args[0]), func(name string) bool {
		return len(name) <= c.SuggestionsMinimumDistance && !strings.EqualFold(name, args[0])
	})
	if len(like) > 0 {
		return fmt.Errorf("unknown command %q: did you mean %s?", args[0], like[0])
	}
	return fmt.Errorf("unknown command %q: see '%s --help'", args[0], c.CommandPath())
}

// NoArguments refuses positional arguments.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes only flags, not %q: see '%s --help'", c.Name(), args[0], c.CommandPath())
	}
	return nil
}

// RefuseFlags returns an error if one of the named flags was given.
func RefuseFlags(c *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return Errorf("--%s %s", name, why)
		}
	}
	return nil
}

// Some requires arguments. missing says what to name; %s in it is the command.
func Some(missing string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf(missing, c.CommandPath())
		}
		return nil
	}
}

// Directory requires one argument, a directory.
func Directory(c *cobra.Command, args []string) error { return One("directory")(c, args) }

// One requires one argument, and names what it is.
func One(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s takes one %s, not %d arguments: see '%s --help'", c.CommandPath(), what, len(args), c.CommandPath())
		}
		if args[0] == "" {
			return fmt.Errorf("%s takes a %s, and this name is empty: name one", c.CommandPath(), what)
		}
		return nil
	}
}
