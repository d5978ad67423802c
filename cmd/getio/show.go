package main

import (
	"io"

	"github.com/spf13/cobra"

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
