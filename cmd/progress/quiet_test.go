package progress

import (
	"bytes"
	"io"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestQuiet: with --quiet, a command shows its progress nowhere.
func TestQuiet(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		root, errOut := &cobra.Command{Use: "getio"}, &bytes.Buffer{}
		QuietVar(root)
		ran := false
		root.AddCommand(&cobra.Command{Use: "measure", RunE: func(c *cobra.Command, _ []string) error {
			ran = true
			want := io.Writer(errOut)
			if quiet {
				want = io.Discard
			}
			assert.Equal(t, want, Out(c))
			return nil
		}})
		root.SetErr(errOut)
		root.SetArgs([]string{"measure"})
		if quiet {
			root.SetArgs([]string{"measure", "--quiet"})
		}
		require.NoError(t, root.Execute())
		assert.True(t, ran)
	}
}
