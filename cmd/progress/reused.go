package progress

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/record"
)

// Reused says on standard error how many runs were not made since the journal had their records, and how to make them
// all the same. It says nothing if all were made.
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
