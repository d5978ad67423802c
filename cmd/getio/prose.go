package main

import (
	"io"

	"github.com/spf13/cobra"
)

// prose is where a command writes what is for people: nowhere if it prints records instead.
func prose(c *cobra.Command, json bool) io.Writer {
	if json {
		return io.Discard
	}
	return c.OutOrStdout()
}
