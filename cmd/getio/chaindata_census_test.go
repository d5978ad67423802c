package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/client/chaindata"
	"getio/engine"
	"getio/ethereum/census"
	"getio/measure/database"
)

func readCategories(t *testing.T) census.Tallies {
	t.Helper()
	dir, err := chaindataSource()
	if err != nil {
		t.Skip(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "chaindata-path.json"))
	require.NoError(t, err)
	var truth struct {
		Categories census.Tallies
	}
	require.NoError(t, json.Unmarshal(data, &truth))
	return truth.Categories
}

// TestChaindataCensus counts the genuine database's categories with both engines,
// and holds them to what its author counted; then estimates them again and again.
func TestChaindataCensus(t *testing.T) {
	dir, err := unpackedChaindata()
	if err != nil {
		t.Skip(err)
	}
	want := readCategories(t)
	withEachEngine(t, dir, func(t *testing.T, d *database.Database) {
		db, err := d.Store.Open(engine.OpenConfig{CacheBytes: 32 << 20})
		require.NoError(t, err)
		defer db.Close()
		ordered, err := engine.AsOrdered(db, d.Info())
		require.NoError(t, err)
		got, err := census.Exact(t.Context(), ordered, nil)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		requireEstimates(t, d, ordered, want)
	})
}

// requireEstimates wants estimates from many samples to lie around the truth as their
// standard errors say.
func requireEstimates(t *testing.T, d *database.Database, db engine.Ordered, want census.Tallies) {
	t.Helper()
	s, err := d.Store.Sampler()
	require.NoError(t, err)
	defer s.Close()
	const samples, ranges = 40, 600
	mean := map[string]float64{}
	within := 0
	for seed := range uint64(samples) {
		estimates, _, err := census.Sample(t.Context(), db, s, ranges, seed, nil)
		require.NoError(t, err)
		for category, c := range estimates {
			mean[category] += float64(c.Keys) / samples
		}
		// Most keys are of this category, so that its estimates are about normal.
		nodes := estimates[string(chaindata.StorageNodes)]
		if math.Abs(float64(nodes.Keys-want[string(chaindata.StorageNodes)].Keys)) < 2**nodes.KeysError {
			within++
		}
	}
	assert.GreaterOrEqual(t, within, samples*8/10, "estimates within two standard errors")
	for _, category := range []chaindata.Category{chaindata.StorageNodes, chaindata.AccountNodes, chaindata.FlatStorage} {
		if off := mean[string(category)]/float64(want[string(category)].Keys) - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: estimates are off by %.3f in the mean", category, off)
		}
	}
	all, _, err := census.Sample(t.Context(), db, s, int64(s.Ranges()), 1, nil)
	require.NoError(t, err)
	for category, c := range all {
		known := want[category]
		known.KeysError, known.BytesError = c.KeysError, c.BytesError
		if c != known || *c.KeysError != 0 {
			t.Errorf("%s: all ranges hold %+v, known %+v", category, c, known)
		}
	}
}
