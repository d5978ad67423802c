package report

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTablesFitTheTerminal: a table takes the width of the terminal, less important columns go first, and 80 columns are
// taken elsewhere.
func TestTablesFitTheTerminal(t *testing.T) {
	screen, terminal, err := pty.Open()
	require.NoError(t, err)
	defer screen.Close()
	defer terminal.Close()
	wide := func(name string) column[string] {
		return col(name, func(r string) string { return fmt.Sprintf("%s of a row of %s", name, r) })
	}
	shown := func(to *printer) string {
		to.table(newTable([]string{"cells"}, wide("first"), wide("second").spareAs(2), wide("third").spareAs(1), wide("fourth")))
		return to.buf.String()
	}
	for columns, missing := range map[uint16]string{120: "", 100: "", 80: "third", 60: "second, third", 20: "second, third"} {
		require.NoError(t, pty.Setsize(terminal, &pty.Winsize{Cols: columns, Rows: 24}))
		text := shown(newPrinter(terminal))
		if missing == "" {
			assert.NotContains(t, text, "left out", columns)
		} else {
			assert.Contains(t, text, missing+".", columns)
		}
		assert.Contains(t, text, "fourth of a row", columns)
	}
	assert.Contains(t, shown(newPrinter(&bytes.Buffer{})), "third.")
}
