package progress

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/record"
)

// Reused says on standard error how many runs are taken from the journal, and how to measure them again. It prints
// nothing if all runs were made.
func Reused(c *cobra.Command, j *record.Journal) {
	text, way := j.Reused(), "remove that file"
	if text == "" {
		return
	}
	if c.Flags().Lookup("out") != nil {
		way = "choose another file with --out"
	}
	fmt.Fprintf(c.ErrOrStderr(), "getio: %s: %s to measure again\n", text, way)
}
