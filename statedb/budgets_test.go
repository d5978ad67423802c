package statedb

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
	"getio/statedb/mdbx"
)

// TestBudgetsOfMappedFiles requires a simulation of Linux's page cache for a store whose file is mapped for
// random access, and none if MDBX lets the kernel read ahead. The simulated lookups are the kernel's.
func TestBudgetsOfMappedFiles(t *testing.T) {
	if _, err := mdbx.New(); err != nil {
		t.Skip(err)
	}
	p := plan(t, true)
	p.Keys, p.Lookups = 500, 50
	p.Shares = []float64{500} // room for the store and its memory
	s := self(t, adaptertest.EngineVariable, mapped)
	for option, random := range map[string]bool{"readahead=0": true, "readahead=1": false} {
		s.Options = []string{option, "growth=1MiB"}
		r, err := p.Measure(t.Context(), s)
		require.NoError(t, err)
		require.True(t, r.Checks.Hold(), r.Checks)
		for _, row := range r.Rows {
			require.Len(t, row.Budgets, 1)
			b := row.Budgets[0]
			require.NotNil(t, b.LRU)
			require.NotNil(t, b.Kernel)
			if !random {
				assert.Nil(t, b.Linux, "%s of a store with %s", row.Kind, option)
				continue
			}
			require.NotNil(t, b.Linux, "%s of a store with %s", row.Kind, option)
			assert.Equal(t, b.Kernel.Lookups, b.Linux.Lookups)
			assert.Equal(t, b.Linux, b.LRU, "with room for all pages")
		}
	}
}
