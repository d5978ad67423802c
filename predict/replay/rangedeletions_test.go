package replay

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev2 "getio/engine/pebble/v2"
	"getio/internal/truth"
	truepebblev2 "getio/internal/truth/pebblev2"
	"getio/measure"
	"getio/measure/database"
	"getio/predict/cachesim"
	"getio/workload"
)

// TestFiguresCountBlocksOfRangeDeletions: Gets read these blocks as well, which belong to no other component.
func TestFiguresCountBlocksOfRangeDeletions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	for _, tree := range truth.Trees(10_000) {
		if tree.Name == "range-deletions" {
			require.NoError(t, truepebblev2.Library.Write(dir, tree))
		}
	}
	d, err := database.Open(t.Context(), engine.Registry{pebblev2.Engine}, dir, database.OpenOptions{})
	require.NoError(t, err)
	defer d.Close()
	keys := workload.Keys{Seed: 1}
	caches, err := Caches(d, cachesim.PebbleV2, []int64{512 << 10}, 0, nil)
	require.NoError(t, err)
	// The warm-up is long enough to open the smallest table, whose reads would be counted but are no accesses of Gets.
	r := Run{Warmup: 50_000, Gets: 2000}
	predictions, err := r.Predict(t.Context(), d, keys, cachesim.PebbleV2, caches)
	require.NoError(t, err)
	require.NoError(t, r.Verify(t.Context(), d, keys, predictions, 1, func(measure.Stage) {}))
	p := predictions[0]
	assert.InDelta(t, *p.IOsPerGet.Measured, *p.IOsPerGet.Window, 1e-9)
	assert.NotZero(t, p.Components["other"].Accesses)
}
