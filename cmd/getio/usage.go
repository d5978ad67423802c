package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/load"
	"getio/record"
)

// misuse is an error of the command line. Nothing was opened.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// misused words a misuse.
func misused(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// misusedIf marks the error of a check of the command line; nil stays nil.
func misusedIf(err error) error {
	if err == nil {
		return nil
	}
	return misuse{err}
}

// markMisuse marks the errors of flags and arguments of a command and those below it.
func markMisuse(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return misuse{flagvalue.Error(c, err)} })
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error { return misusedIf(check(c, args)) }
	}
	for _, below := range c.Commands() {
		markMisuse(below)
	}
}

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
			return misused("--%s %s", name, why)
		}
	}
	return nil
}

// refuseBeside refuses flags that say how long a run is beside --time.
func refuseBeside(c *cobra.Command, names ...string) error {
	if !c.Flags().Changed("time") {
		return nil
	}
	return refuseFlags(c, "says how long the run is, and so does --time: leave one out", names...)
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
