package measure

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/dataset"
	"getio/engine"
	"getio/measure/database"
	"getio/measure/workload"
	"getio/record"
)

// TestSidesShareDrawnGets: two sides of one database that getio did not write share each round's Gets. They read as two
// sweeps do that draw their own.
func TestSidesShareDrawnGets(t *testing.T) {
	eachStore(t, dataset.KeyspaceKeccak, nil, func(t *testing.T, s engine.Store, _ func(workload.Random) workload.Sequence) {
		side := func() *Sweep {
			return &Sweep{
				Database: &database.Database{Dir: s.Info().Dir, Store: s, Config: fakeConfig{}},
				Keys:     database.KeySource{Random: workload.Random{Seed: 5}},
				Caches:   []engine.OpenConfig{{CacheBytes: 1 << 20}},
				Options:  Options{Gets: 1_000, Warmup: WarmupGets(500), Workers: 1, NoSplit: true},
				Each:     func(*record.Result, bool) error { return nil },
			}
		}
		a := &Alternation{
			Sides: []*Sweep{side(), side()}, Rounds: 2, Begin: func(int, int) {}}
		used := map[workload.Sequence]bool{}
		a.Each = func(int, int, *record.Result, bool) error { used[a.shared.Sequence] = true; return nil }
		shared, err := a.Run(context.Background())
		require.NoError(t, err)
		assert.Len(t, used, 2, "sequences of two rounds")
		for round := range 2 {
			own := side()
			own.Keys.Seed += uint64(round)
			results, err := own.Run(context.Background())
			require.NoError(t, err)
			for _, runs := range shared {
				assert.Equal(t, results[0].IOsPerGet, runs[round].IOsPerGet)
				assert.Equal(t, results[0].Components, runs[round].Components)
			}
		}
	})
}
