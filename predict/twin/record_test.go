package twin

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/predict/cachesim"
	"getio/workload"
)

func TestRecords(t *testing.T) {
	shape := manyTables()
	tree := newTree(t, shape, plainV1)
	s := Subject{Source: "many.json", Library: "pebblev1", Shape: shape, Tree: tree, Keys: workload.Keys{Absent: 0.25, Seed: 3}, Reserved: 1000}
	plan := Plan{Warmup: 1000, Gets: 20_000}
	cache := Cache{cachesim.NameClockPro, 200_000, 4, 4}
	predictions, err := plan.Predict(context.Background(), tree, s.Keys, []Cache{cache}, nil)
	require.NoError(t, err)
	r := s.Record(&predictions[0], plan)
	sum := 0.0
	for _, c := range r.Components {
		sum += c.Misses
	}
	if math.Abs(sum-*r.IOsPerGet.Window) > 1e-9 || r.Cache.Bytes != 201_000 || r.Workload.HitFraction != 0.75 || r.Workload.Gets != 20_000 {
		t.Errorf("components add up to %v of %v: %+v", sum, *r.IOsPerGet.Window, r)
	}
	lacks(t, r, "gets_to_steady", `"steady"`, `"error"`, "zipf\"", "table_list", "open_tables")

	s.OpenFiles = shape.Total().Tables
	assert.Zero(t, s.Record(&predictions[0], plan).OpenTables)
	s.OpenFiles--
	assert.Equal(t, s.OpenFiles, s.Record(&predictions[0], plan).OpenTables)

	analytic := s.SteadyRecord(NewSteady(tree, 0.25), 200_000)
	if got, want := *analytic.IOsPerGet.Steady, *r.IOsPerGet.Window; math.Abs(got-want) > 0.2*want {
		t.Errorf("steady at %v, simulated %v", got, want)
	}
	lacks(t, analytic, "window", "policy", "shards", "seed", "warmup_gets", "reads_by_cause")
}

// lacks requires that a record has none of the fields.
func lacks(t *testing.T, r any, fields ...string) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	for _, field := range fields {
		assert.NotContains(t, string(text), field)
	}
}
