package load

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/workload/dataset"
)

// holdUpdated checks that every key has the value of the last round of updates that drew it.
func holdUpdated(t *testing.T, dir string) {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	keys, err := m.NewKeyspace()
	require.NoError(t, err)
	values, err := m.NewValues()
	require.NoError(t, err)
	last := make([]uint64, m.Keys)
	for round, u := range m.Updates {
		for n := range u.Writes {
			last[u.Key(n, m.Keys)] = uint64(round + 1)
		}
	}
	got := contents(t, m.DBDir(dir))
	assert.Equal(t, m.Keys, uint64(len(got)))
	var key [dataset.KeySize]byte
	for i, round := range last {
		keys.Key(uint64(i), &key)
		value := got[string(key[:])]
		require.Equal(t, string(values.Updated(uint64(i), round, nil)), value, "key %d, last updated in round %d", i, round)
		require.True(t, values.Check(uint64(i), []byte(value)), "Check rejects value %x of key %d", value, i)
	}
	records(t, m.DBDir(dir)) // checks that the log is empty
}

func TestUpdatesGiveTheDrawnKeysTheirRoundsValue(t *testing.T) {
	t.Parallel()
	j := newJob(t, 3001, 100, 2)
	require.NoError(t, j.New(context.Background()))
	for round, n := range []uint64{1500, 1, 2500} {
		k := again(t, j.Dir)
		var done uint64
		k.Progress = func(s Stage) {
			if s.Phase == "update" {
				done = s.Done
			}
		}
		require.NoError(t, k.Update(context.Background(), n, uint64(100+round)))
		assert.Equal(t, n, done)
	}
	m, err := dataset.Read(j.Dir)
	require.NoError(t, err)
	if len(m.Updates) != 3 || !m.Complete || m.Updates[1].Writes != 1 || m.Updates[2].Seed != 102 || !m.Updates[0].Finished {
		t.Errorf("manifest: %+v", m.Updates)
	}
	holdUpdated(t, j.Dir)
}

// TestLevelsAreNoted: the manifest says what the settled tree consists of, and nothing while it may change.
func TestLevelsAreNoted(t *testing.T) {
	t.Parallel()
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			skipTwin(t, e.Name())
			j := newJob(t, 3001, 100, 2)
			var err error
			j.Engine = e
			j.Config, err = e.Configure("", nil)
			require.NoError(t, err)
			j.Manifest.Engine = e.Name()
			requireLevels := func(of *Job) {
				t.Helper()
				m, err := dataset.Read(of.Dir)
				require.NoError(t, err)
				s, err := e.OpenStore(t.Context(), m.DBDir(of.Dir), of.Config)
				require.NoError(t, err)
				defer s.Close()
				require.NotEmpty(t, m.Levels)
				assert.Equal(t, engine.LevelsOf(s.Shape()), m.Levels)
			}
			require.NoError(t, j.New(t.Context()))
			requireLevels(j)
			k := reread(t, j)
			called := 0
			k.Progress = func(s Stage) {
				m, err := dataset.Read(k.Dir)
				if assert.NoError(t, err) {
					assert.Empty(t, m.Levels)
				}
				called++
			}
			require.NoError(t, k.Update(t.Context(), 1500, 1))
			assert.Positive(t, called)
			requireLevels(j)
			k = reread(t, j)
			require.NoError(t, k.UpdateWhile(t.Context(), k.openUpdating, 0, 1, func(ctx context.Context, _ engine.UpdatingDB, round *Updater) error {
				return round.Start(ctx)
			}))
			requireLevels(j)
		})
	}
}

func TestNoUpdatesChangeNothing(t *testing.T) {
	t.Parallel()
	j := newJob(t, 101, 100, 2)
	require.NoError(t, j.New(context.Background()))
	require.NoError(t, again(t, j.Dir).Update(context.Background(), 0, 1))
	holdWhole(t, j.Dir)
}

// The manifest records a round before any key is written, so that readers accept both the old
// and the new value of a key.
func TestInterruptedUpdatesLeaveOldValuesOrNew(t *testing.T) {
	t.Parallel()
	j := newJob(t, 5003, 100, 2)
	require.NoError(t, j.New(context.Background()))
	k := again(t, j.Dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	k.Progress = func(s Stage) {
		if s.Done >= 2000 {
			cancel()
		}
	}
	// Update may abandon it.
	if err := k.update(ctx, dataset.Update{Writes: 4000, Seed: 7}); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted updates ended with %v", err)
	}
	m, err := dataset.Read(j.Dir)
	require.NoError(t, err)
	if len(m.Updates) != 1 || m.Updates[0].Finished || !m.Complete {
		t.Fatalf("manifest: updates %+v, complete %v", m.Updates, m.Complete)
	}
	keys, err := m.NewKeyspace()
	require.NoError(t, err)
	values, err := m.NewValues()
	require.NoError(t, err)
	got := contents(t, m.DBDir(j.Dir))
	var key [dataset.KeySize]byte
	changed := 0
	for i := range m.Keys {
		keys.Key(i, &key)
		value := got[string(key[:])]
		require.True(t, values.Check(i, []byte(value)), "key %d has value %x", i, value)
		if value != string(values.Value(i, nil)) {
			changed++
		}
	}
	if changed < 1000 || changed > 3500 {
		t.Errorf("%d keys have a new value after about 2000 of 4000 updates", changed)
	}
	// A later round that finishes also finishes this one.
	require.NoError(t, again(t, j.Dir).Update(context.Background(), 10, 8))
	if m, err = dataset.Read(j.Dir); err != nil || !m.Updates[0].Finished || !m.Updates[1].Finished {
		t.Errorf("%+v, %v", m.Updates, err)
	}
}
