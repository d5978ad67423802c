package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/load"
	"getio/record"
)

// knownCommand refuses what is left over of a command line that names no command.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if like := root.SuggestionsFor(args[0]); len(like) > 0 {
		return fmt.Errorf("unknown command %q: did you mean %s?", args[0], like[0])
	}
	return fmt.Errorf("unknown command %q: see 'getio --help'", args[0])
}

// helpCommand is cobra's own, but that it refuses unknown commands.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || about == c.Root() && len(rest) > 0 {
				return knownCommand(c.Root(), args)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// helpWidth is how many columns help texts take at most.
const helpWidth = 100

// wrapHelp wraps the descriptions of flags in the help of a command and those below it.
func wrapHelp(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", helpWidth)))
}

// noArguments refuses arguments that are no flags.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes flags only, and %q is none: see '%s --help'", c.Name(), args[0], c.CommandPath())
	}
	return nil
}

// refuseFlags returns an error if one of the named flags was given.
func refuseFlags(c *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s %s", name, why)
		}
	}
	return nil
}

// flagError words an error of a flag and says where the flags are explained.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		err = fmt.Errorf("unknown flag --%s", unknown.GetSpecifiedName())
	case errors.As(err, &invalid):
		if _, says := invalid.GetFlag().Value.(interface{ saysWhatIsWanted() }); says {
			return fmt.Errorf("invalid %s %q: %w", nameOf(invalid.GetFlag()), invalid.GetValue(), invalid.Unwrap())
		}
		err = fmt.Errorf("invalid %s %q: want %s", nameOf(invalid.GetFlag()), invalid.GetValue(), wanted(invalid.GetFlag()))
	case errors.As(err, &missing):
		err = fmt.Errorf("%s needs a value", nameOf(missing.GetFlag()))
	}
	return fmt.Errorf("%w: see '%s --help'", err, c.CommandPath())
}

// nameOf is a flag as it is written: bench_pebble's have one letter.
func nameOf(f *pflag.Flag) string {
	if f.Name == f.Shorthand {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// wanted says which values a flag of pflag's own types takes.
func wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "uint64":
		return "a whole number from 0 on"
	case "int", "int64":
		return "a whole number"
	}
	return "a " + f.Value.Type()
}

// stopped is the error of a command that was interrupted and says what is kept.
type stopped string

func (s stopped) Error() string { return "interrupted: " + string(s) }

// Unwrap makes it a context.Canceled.
func (stopped) Unwrap() error { return context.Canceled }

// interrupted words an interruption that says nothing of its own.
func interrupted(err error) error {
	var byLoad *load.Interrupted
	var byCommand stopped
	var byJournal *record.Unfinished
	switch {
	case errors.As(err, &byCommand):
		return byCommand
	case errors.As(err, &byJournal):
		return byJournal
	case errors.As(err, &byLoad):
		return byLoad
	}
	return stopped("the database is as it was, and an unfinished measurement gives no figure")
}
