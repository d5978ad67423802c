package statedb

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
	"getio/record"
	"getio/statedb/adapter"
)

// TestIntervalsCoverTheTruth: about 95 in 100 intervals of cold lookups hold the mean of the store. GETIO_COVERAGE=N
// makes N runs, as in cmd/getio. The store is loaded once, because the seed of compare-state decides about its keys
// too, and only the lookups differ. The truth of existing keys is the mean over all of them.
func TestIntervalsCoverTheTruth(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("GETIO_COVERAGE"))
	if n == 0 {
		t.Skip("GETIO_COVERAGE=N makes N runs of each kind: 400 take a minute of a processor")
	}
	p := plan(t, false)
	p.Keys = 20_000
	records, err := p.records()
	require.NoError(t, err)
	space, err := p.newWorkspace(0)
	require.NoError(t, err)
	defer func() { assert.NoError(t, space.close()) }()
	s := self(t, adaptertest.EngineVariable, "pebblev2")
	s.Options = []string{"memtable_size=256KiB", "lbase_max_bytes=1MiB", "target_file_size=256KiB"} // several levels
	m := &measurement{Plan: p, store: s, workspace: space, records: records, ctx: t.Context(), record: p.describe(s)}
	require.NoError(t, m.load())
	require.NoError(t, m.open(adapter.Read, 0))
	defer func() { assert.NoError(t, m.end()) }()
	cold := func(l *lookups) record.StateReads {
		var row record.StateRow
		require.NoError(t, m.inside(&row, l))
		return row.Cold
	}
	const lookups, many = 300, 60_000
	for _, k := range kinds[:2] {
		all := m.lookups(k, many, 1)
		if !k.absent {
			all.numbers = all.numbers[:0]
			for i := range p.Keys {
				all.numbers = append(all.numbers, i)
			}
		}
		require.NoError(t, all.all("opening files"))
		truth, covered := cold(all), 0
		for seed := range n {
			c := cold(m.lookups(k, lookups, uint64(seed)+2))
			if c.CI95[0] <= truth.Reads && truth.Reads <= c.CI95[1] {
				covered++
			}
		}
		share := float64(covered) / float64(n)
		t.Logf("compare-state, %s: %d runs of %d lookups, %d cover the truth, %.4f ± %.4f reads (%.1f%%)",
			k.name, n, lookups, covered, truth.Reads, truth.CI95[1]-truth.Reads, 100*share)
		if n >= 400 {
			assert.GreaterOrEqual(t, share, 0.90, k.name)
			assert.LessOrEqual(t, share, 0.99, k.name)
		}
	}
}
