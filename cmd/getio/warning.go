package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// warn prints sentences that no figure depends on.
func warn(c *cobra.Command, texts ...string) {
	for _, text := range texts {
		fmt.Fprintln(c.ErrOrStderr(), "getio:", text)
	}
}
