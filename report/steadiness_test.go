package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
)

// TestSteadyOfHardlyAnyReads: a change in per cent would be of hardly any reads, and is not printed.
func TestSteadyOfHardlyAnyReads(t *testing.T) {
	io := func(drift float64) record.IOsPerGet { return record.IOsPerGet{Steady: new(true), Drift: &drift} }
	assert.Equal(t, "Steady: it changed by less than 0.001 over all Gets.", steadiness(io(-1.28), "Gets"))
	assert.Equal(t, "Steady: it changed by -0.20% over all Gets.", steadiness(io(-0.002), "Gets"))
}

// TestChangesOfNoReads: a table of changes is printed unless all its figures are 0.000.
func TestChangesOfNoReads(t *testing.T) {
	text := func(then float64) string {
		var out bytes.Buffer
		p := newPrinter(&out)
		changeTable(p, &record.Advice{Changes: []*record.Change{{What: "block_size=16KiB", Keys: "existing", Now: 0.0001, Then: then}}})
		require.NoError(t, p.flush())
		return out.String()
	}
	assert.Empty(t, text(0.0002))
	assert.Contains(t, text(0.5), "block_size=16KiB")
}
