package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

// fakeConfig has no options.
type fakeConfig struct{}

func (fakeConfig) Preset() string                     { return "fake" }
func (fakeConfig) Effective() map[string]string       { return map[string]string{} }
func (fakeConfig) ReadOptions() []string              { return nil }
func (fakeConfig) With(string) (engine.Config, error) { return fakeConfig{}, nil }

// alternation returns an Alternation of fake stores, which hold none of the keys, and a list to
// which each of its turns is appended.
func alternation(rounds int, warmup workload.Warmup, stores ...*fakeStore) (*Alternation, *[]string) {
	turns := &[]string{}
	a := &Alternation{
		Rounds: rounds,
		Begin:  func(round, side int) { *turns = append(*turns, fmt.Sprintf("%d%c", round, 'A'+side)) },
		Each:   func(int, int, *record.Result, bool) error { return nil },
	}
	for _, s := range stores {
		s.get = func(int64, []byte) (bool, error) { return false, nil }
		a.Sides = append(a.Sides, &Sweep{
			Database: &database.Database{
				Dir: "fake", Store: s, Config: fakeConfig{},
				Manifest: &dataset.Manifest{Keys: 1 << 20, Keyspace: dataset.KeyspaceStratified, Seed: 1, Values: dataset.ValuesPool32, ValueSize: 10},
			},
			Caches:  []engine.OpenConfig{{CacheBytes: 1 << 20}},
			Options: Options{Workload: workload.Workload{Keys: workload.Keys{Seed: 7, Absent: 1}, Gets: 2000, Warmup: warmup, Workers: 1}, Counted: Counted{NoSplit: true}},
		})
	}
	return a, turns
}

func TestRoundsAlternateDirection(t *testing.T) {
	a, turns := alternation(3, workload.WarmupGets(100), newFakeStore(one), newFakeStore(one), newFakeStore(one))
	results, err := a.Run(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []string{"1A", "1B", "1C", "2C", "2B", "2A", "3A", "3B", "3C"}, *turns)
	for side, runs := range results {
		for round, r := range runs {
			if w := r.Workload; w.Seed != uint64(7+round) || w.WarmupGets != 100 || w.Gets != 2000 {
				t.Errorf("side %d, round %d: %+v", side, round+1, w)
			}
		}
	}
}

func TestLongestWarmupForAllSides(t *testing.T) {
	if testing.Short() {
		t.Skip("a million Gets, by the same workers as in other tests")
	}
	filling := func(n int64) int64 { // reads of a cache that takes 300,000 Gets to fill
		if n%100 >= n/3000 {
			return 2
		}
		return 1
	}
	slow, _ := alternation(1, workload.AutoWarmup, newFakeStore(filling))
	alone, err := slow.Run(context.Background())
	require.NoError(t, err)
	needed := alone[0][0].Workload.WarmupGets
	if needed < 300_000 {
		t.Fatalf("the slow side warmed up with only %d Gets", needed)
	}
	a, turns := alternation(2, workload.AutoWarmup, newFakeStore(one), newFakeStore(filling))
	results, err := a.Run(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []string{"0A", "0B", "1A", "1B", "2B", "2A"}, *turns)
	for _, r := range slices.Concat(results...) {
		if w := r.Workload; w.WarmupGets != needed || w.WarmupRule != "auto of all sides" {
			t.Errorf("a warm-up of %d (%s), want %d", w.WarmupGets, w.WarmupRule, needed)
		}
	}
}

// TestAlternationResumes: it reuses finished runs and their warm-up.
func TestAlternationResumes(t *testing.T) {
	skipShort(t)
	a, _ := alternation(2, workload.AutoWarmup, newFakeStore(one), newFakeStore(one))
	var done []*record.Result
	stop := errors.New("stop")
	a.Each = func(_, _ int, r *record.Result, _ bool) error {
		if done = append(done, r); len(done) == 3 {
			return stop
		}
		return nil
	}
	if _, err := a.Run(context.Background()); !errors.Is(err, stop) {
		t.Fatalf("Run: error %v", err)
	}
	again, turns := alternation(2, workload.AutoWarmup, newFakeStore(one), newFakeStore(one))
	var measured []bool
	for _, s := range again.Sides {
		s.Done = done
	}
	again.Each = func(_, _ int, _ *record.Result, anew bool) error {
		measured = append(measured, anew)
		return nil
	}
	_, err := again.Run(context.Background())
	require.NoError(t, err)
	// In records, the fakes are the same database, so the run of round 2 counts for both sides.
	if want := []bool{false, false, false, false}; !slices.Equal(measured, want) || (*turns)[0] != "1A" {
		t.Errorf("measured %v in turns %v, want %v", measured, *turns, want)
	}
	// Other Gets are other runs.
	other, _ := alternation(1, workload.WarmupGets(done[0].Workload.WarmupGets), newFakeStore(one))
	other.Sides[0].Done, other.Sides[0].Options.Gets = done, 3000
	other.Each = func(_, _ int, _ *record.Result, anew bool) error {
		assert.True(t, anew, "a result of other Gets was reused")
		return nil
	}
	_, err = other.Run(context.Background())
	require.NoError(t, err)
}

// TestShortAlternationMakesFewerGets: without enough time for LeastRounds rounds, runs are short. A command that resumes
// them makes as many Gets, unless all rounds are made: then it begins anew.
func TestShortAlternationMakesFewerGets(t *testing.T) {
	skipShort(t)
	for name, c := range map[string]struct {
		until time.Time
		gets  int64
	}{
		"unbounded":   {time.Time{}, 2_000},
		"enough time": {time.Now().Add(time.Hour), 2_000},
		"no time":     {time.Now().Add(-time.Hour), windowFloor},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := alternation(3, workload.AutoWarmup, newFakeStore(one), newFakeStore(one))
			a.Until, a.LeastRounds = c.until, 2
			results, err := a.Run(context.Background())
			require.NoError(t, err)
			made := slices.Concat(results...)
			for _, r := range made {
				assert.Equal(t, c.gets, r.Workload.Gets)
			}
			rounds := 3
			if c.gets < 2_000 {
				rounds = 2
			}
			assert.Len(t, made, 2*rounds)
			resume := func(done []*record.Result) (measured []int64) {
				again, _ := alternation(2, workload.AutoWarmup, newFakeStore(one), newFakeStore(one))
				again.Until, again.LeastRounds = time.Now().Add(time.Hour), 2
				for _, s := range again.Sides {
					s.Done = done
				}
				again.Each = func(_, _ int, r *record.Result, anew bool) error {
					if anew {
						measured = append(measured, r.Workload.Gets)
					}
					return nil
				}
				_, err := again.Run(context.Background())
				require.NoError(t, err)
				return measured
			}
			// In records, the fakes are the same database, so one run counts for both sides.
			assert.Equal(t, []int64{c.gets, c.gets}, resume(made[:1]))
			if c.gets < 2_000 {
				assert.Equal(t, []int64{2_000, 2_000, 2_000, 2_000}, resume(made), "a finished short alternation")
			} else {
				assert.Empty(t, resume(made))
			}
		})
	}
}

// TestAutoWarmupIgnoresOtherWarmups checks that auto reuses neither a fixed warm-up nor the
// automatic one of a single database.
func TestAutoWarmupIgnoresOtherWarmups(t *testing.T) {
	skipShort(t)
	short, _ := alternation(1, workload.WarmupGets(10), newFakeStore(one))
	shorts, err := short.Run(context.Background())
	require.NoError(t, err)
	alone := *short.Sides[0]
	alone.Options.Warmup, alone.Each = workload.AutoWarmup, func(*record.Result, bool) error { return nil }
	alones, err := alone.Run(context.Background())
	require.NoError(t, err)
	a, turns := alternation(1, workload.AutoWarmup, newFakeStore(one))
	a.Sides[0].Done = append(shorts[0], alones...)
	a.Each = func(_, _ int, r *record.Result, anew bool) error {
		if !anew || r.Workload.WarmupGets <= 10 {
			t.Errorf("measured %v, with a warm-up of %d", anew, r.Workload.WarmupGets)
		}
		return nil
	}
	_, err = a.Run(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []string{"0A", "1A"}, *turns)
}

func TestSeeksAndGetsAreDifferentRuns(t *testing.T) {
	a, _ := alternation(1, workload.WarmupGets(0), newFakeStore(one))
	results, err := a.Run(context.Background())
	require.NoError(t, err)
	for _, seek := range []bool{false, true} {
		b, _ := alternation(1, workload.WarmupGets(0), newFakeStore(one))
		b.Sides[0].Done = results[0]
		b.Sides[0].Caches[0].LastLevelFilters = seek
		b.Each = func(_, _ int, r *record.Result, anew bool) error {
			if anew != seek || (r.Workload.Lookup == record.LookupSeek) != seek {
				t.Errorf("seeking %v: measured %v, %+v", seek, anew, r.Workload)
			}
			b.Sides[0].Done = []*record.Result{r}
			return nil
		}
		_, err = b.Run(context.Background())
		require.NoError(t, err)
		b.Each = func(_, _ int, _ *record.Result, anew bool) error {
			assert.False(t, anew, "seeking %v: a finished run was repeated", seek)
			return nil
		}
		_, err = b.Run(context.Background())
		require.NoError(t, err)
	}
}

func TestRoundGets(t *testing.T) {
	small, large := newFakeStore(one), newFakeStore(one)
	large.shape.Levels[0].IndexBlocks = 1 << 20
	assert.EqualValues(t, leastRoundGets, RoundGets(small, small))
	if n := RoundGets(small, large); n < 5<<19 {
		t.Errorf("%d Gets are not five windows of a large tree", n)
	}
}

// TestSidesShareDrawnGets: two sides of one database that getio did not write share each round's Gets. They read as two
// sweeps do that draw their own.
func TestSidesShareDrawnGets(t *testing.T) {
	skipShort(t)
	eachStore(t, dataset.KeyspaceKeccak, nil, func(t *testing.T, s engine.Store, _ func(workload.Keys) keysource.Sequence) {
		side := func() *Sweep {
			return &Sweep{
				Database: &database.Database{Dir: s.Info().Dir, Store: s, Config: fakeConfig{}},
				Caches:   []engine.OpenConfig{{CacheBytes: replayCache(s)}},
				Options:  Options{Workload: workload.Workload{Keys: workload.Keys{Seed: 5}, Gets: 1_000, Warmup: workload.WarmupGets(500), Workers: 1}, Counted: Counted{NoSplit: true}},
				Each:     func(*record.Result, bool) error { return nil },
			}
		}
		a := &Alternation{
			Sides: []*Sweep{side(), side()}, Rounds: 2, Begin: func(int, int) {}}
		used, r := map[keysource.Sequence]bool{}, a.begin()
		a.Each = func(int, int, *record.Result, bool) error { used[r.shared.Sequence] = true; return nil }
		shared, err := r.run(context.Background())
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

// TestAlternationsShareSamples: with another cache, no side repeats its sample.
func TestAlternationsShareSamples(t *testing.T) {
	a, _ := alternation(2, workload.WarmupGets(100), newFakeStore(one), newFakeStore(one))
	opens := func() (n int64) {
		for _, s := range a.Sides {
			s.NoSplit = false
			n += s.Database.Store.(*fakeStore).opens.Load()
		}
		return n
	}
	before := opens()
	for _, want := range []int64{2*2 + 2, 2 * 2} { // runs, and samples
		_, err := a.Run(t.Context())
		require.NoError(t, err)
		now := opens()
		assert.Equal(t, want, now-before)
		before = now
	}
}
