package scenario

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/engines"
	"getio/predict/cachesim"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
	"getio/workload/trace"
)

// TestTraceOfPopularKeys: a trace of keys drawn by a Zipf distribution makes the reads that are
// predicted for that distribution.
func TestTraceOfPopularKeys(t *testing.T) {
	const keys, warmup, gets = 200_000, 100_000, 100_000
	p := popularity.Popularity{Zipf: 0.9}
	path := filepath.Join(t.TempDir(), "trace")
	w, err := trace.Create(path, nil)
	require.NoError(t, err)
	drawn := p.Of(keys, 1)
	for i := range uint64(warmup + gets) {
		key := dataset.Draw(7, drawn.Number(dataset.Draw(2, i)))
		o := trace.Operation{Kind: workload.Get, Keys: []trace.Key{{Bytes: []byte{byte(key >> 56), byte(key >> 48), byte(key >> 40), byte(key >> 32), byte(key >> 24), byte(key >> 16), byte(key >> 8), byte(key)}}}}
		require.NoError(t, w.Write(&o))
	}
	require.NoError(t, w.Finish(warmup))
	f, err := trace.Check(t.Context(), path, nil)
	require.NoError(t, err)
	sim := Simulation{Gets: gets, Warmup: workload.WarmupGets(warmup), Policy: cachesim.NameClockPro, Progress: func(_, _ int64) {}}
	scenario := func(w workload.Keys) *Scenario {
		s, err := Query{Keys: keys, ValueSize: 110}.Scenario(engines.All(), w)
		require.NoError(t, err)
		return s
	}
	sizes := []int64{1 << 20, 4 << 20}
	want, err := scenario(workload.Keys{Seed: 1, Popularity: p}).Simulate(t.Context(), sim, sizes)
	require.NoError(t, err)
	sim.Gets = 0
	s := scenario(workload.Keys{Seed: 1})
	got, err := s.SimulateTrace(t.Context(), sim, f, sizes)
	require.NoError(t, err)
	for i := range sizes {
		assert.InEpsilon(t, *want[i].IOsPerGet.Window, *got[i].IOsPerGet.Window, 0.03)
		assert.Equal(t, path, got[i].Workload.Trace)
	}
	sim.Most = 1_000_000
	_, err = s.SimulateTrace(t.Context(), sim, f, sizes)
	assert.ErrorContains(t, err, "a trace, which ends")
	sim.Most, f.Header.Recorded = 0, &trace.Recorded{Sample: 16}
	_, err = s.SimulateTrace(t.Context(), sim, f, sizes)
	assert.ErrorContains(t, err, "not a trace of all Gets")
}
