package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"getio/load"
	"getio/record"
)

// show prints a record as text or, for programs, as it is.
func show[R any](c *cobra.Command, json bool, r R, text func(io.Writer, R) error) error {
	if json {
		return record.WriteLine(c.OutOrStdout(), r)
	}
	return text(c.OutOrStdout(), r)
}

// showAll prints records as text or, for programs, one per line.
func showAll[R any](c *cobra.Command, json bool, records []R, text func(io.Writer, []R) error) error {
	if json {
		text = record.WriteLines
	}
	return text(c.OutOrStdout(), records)
}

// prose is where a command writes what is for people: nowhere if it prints records instead.
func prose(c *cobra.Command, json bool) io.Writer {
	if json {
		return io.Discard
	}
	return c.OutOrStdout()
}

// believable turns a failed self-check into the command's error.
func believable(results ...*record.Result) error {
	return (&record.Set{Results: results}).Checks().Err()
}

// warn prints sentences that no figure depends on.
func warn(c *cobra.Command, texts ...string) {
	for _, text := range texts {
		fmt.Fprintln(c.ErrOrStderr(), "getio:", text)
	}
}

// stopped is the error of a command that was interrupted and says what is kept.
type stopped string

func (s stopped) Error() string { return "interrupted: " + string(s) }

// Unwrap makes it a context.Canceled.
func (stopped) Unwrap() error { return context.Canceled }

// interrupted returns the message for an interruption that has none.
func interrupted(err error) error {
	if byCommand, ok := errors.AsType[stopped](err); ok {
		return byCommand
	}
	if byJournal, ok := errors.AsType[*record.Unfinished](err); ok {
		return byJournal
	}
	if byLoad, ok := errors.AsType[*load.Interrupted](err); ok {
		return byLoad
	}
	return stopped("no database was changed, and an unfinished run gives no figure")
}
