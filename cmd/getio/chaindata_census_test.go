package main

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"

	"getio/engine"
	"getio/ethereum/census"
	"getio/ethereum/chaindata"
	"getio/measure/database"
)

type truthTally struct {
	Keys       int64 `json:"keys"`
	KeyBytes   int64 `json:"key_bytes"`
	ValueBytes int64 `json:"value_bytes"`
}

func readCategories(t *testing.T) map[chaindata.Category]truthTally {
	t.Helper()
	dir, err := chaindataSource()
	if err != nil {
		t.Skip(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "chaindata-path.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth struct {
		Categories map[chaindata.Category]truthTally
	}
	if err := json.Unmarshal(data, &truth); err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		ordered, err := engine.AsOrdered(db, d.Info())
		if err != nil {
			t.Fatal(err)
		}
		tallies, err := census.Exact(t.Context(), ordered, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[chaindata.Category]truthTally{}
		for category, tally := range tallies {
			got[category] = truthTally(tally)
		}
		if !maps.Equal(got, want) {
			t.Errorf("counted %+v, known %+v", got, want)
		}
		requireEstimates(t, d, ordered, want)
	})
}

// requireEstimates wants estimates from many samples to lie around the truth as their
// standard errors say.
func requireEstimates(t *testing.T, d *database.Database, db engine.Ordered, want map[chaindata.Category]truthTally) {
	t.Helper()
	s, err := d.Store.Sampler()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const samples, ranges = 40, 600
	mean := map[chaindata.Category]float64{}
	within := 0
	for seed := range uint64(samples) {
		e, err := census.Sample(t.Context(), db, s, ranges, seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		for category, c := range e.Categories {
			mean[category] += float64(c.Keys) / samples
		}
		// Most keys are of this category, so that its estimates are about normal.
		nodes := e.Categories[chaindata.StorageNodes]
		if math.Abs(float64(nodes.Keys-want[chaindata.StorageNodes].Keys)) < 2*nodes.KeysError {
			within++
		}
	}
	if within < samples*8/10 {
		t.Errorf("%d of %d estimates are within two standard errors", within, samples)
	}
	for _, category := range []chaindata.Category{chaindata.StorageNodes, chaindata.AccountNodes, chaindata.FlatStorage} {
		if off := mean[category]/float64(want[category].Keys) - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: estimates are off by %.3f in the mean", category, off)
		}
	}
	all, err := census.Sample(t.Context(), db, s, int64(s.Ranges()), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for category, c := range all.Categories {
		if truthTally(c.Tally) != want[category] || c.KeysError != 0 {
			t.Errorf("%s: all ranges hold %+v, known %+v", category, c, want[category])
		}
	}
}
