package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/dataset"
	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/tree/readpath"
)

// updaters are the engines, with options that make a tree of several levels of a few keys.
var updaters = map[string]struct {
	engine engine.Engine
	small  []string
}{
	"pebblev1":  {pebblev1.Engine, small},
	"pebblev2":  {pebblev2.Engine, small},
	"goleveldb": {goleveldb.Engine, []string{"block_size=512", "table_size=64KiB", "memtable_size=64KiB", "l1_max_bytes=256KiB"}},
}

// eachUpdater tests with a loaded dataset of each engine.
func eachUpdater(t *testing.T, test func(t *testing.T, j *Job)) {
	for name, u := range updaters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, 5003, 100, 2)
			cfg, err := u.engine.Configure("", u.small)
			require.NoError(t, err)
			j.Engine, j.Config, j.Manifest.Engine = u.engine, cfg, name
			require.NoError(t, j.New(context.Background()))
			test(t, j)
		})
	}
}

func (j *Job) openUpdating() (engine.UpdatingDB, error) {
	return j.Engine.(engine.Updater).OpenUpdating(j.Manifest.DBDir(j.Dir), j.Config, engine.OpenConfig{CacheBytes: 1 << 20})
}

// reread is the job that another process would make of what is on disk.
func reread(t *testing.T, j *Job) *Job {
	t.Helper()
	m, err := dataset.Read(j.Dir)
	require.NoError(t, err)
	return &Job{Engine: j.Engine, Config: j.Config, Dir: j.Dir, Manifest: m}
}

// readUntil makes Gets until so many updates are made.
func readUntil(t *testing.T, j *Job, db engine.UpdatingDB, round *Updater, writes int64) {
	t.Helper()
	keys, err := j.Manifest.NewKeyspace()
	require.NoError(t, err)
	values, err := j.Manifest.NewValues()
	require.NoError(t, err)
	var key [dataset.KeySize]byte
	var value []byte
	for n := uint64(0); ; n++ {
		i := dataset.Bounded(dataset.Draw(1, n), j.Manifest.Keys)
		keys.Key(i, &key)
		var found bool
		if value, found, err = db.Get(key[:], value); err != nil || !found || !values.Check(i, value) {
			t.Fatalf("key %d: %x, %v, %v", i, value, found, err)
		}
		if made, bytes := round.Written(); bytes != made*int64(dataset.KeySize+j.Manifest.ValueSize) {
			t.Fatalf("%d bytes of %d updates", bytes, made)
		} else if made >= writes {
			return
		}
	}
}

// holdRounds holds every key of a dataset against the rounds of updates in its manifest,
// each of which was made as far as the manifest says.
func holdRounds(t *testing.T, j *Job) {
	t.Helper()
	j = reread(t, j)
	m := j.Manifest
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
	s, err := j.Engine.OpenStore(context.Background(), m.DBDir(j.Dir), j.Config)
	require.NoError(t, err)
	defer s.Close()
	db, err := s.Open(engine.OpenConfig{CacheBytes: 1 << 20})
	require.NoError(t, err)
	defer db.Close()
	ordered, err := engine.AsOrdered(db, s.Info())
	require.NoError(t, err)
	got := map[string]string{}
	require.NoError(t, ordered.Scan(nil, nil, func(key, value []byte) error {
		got[string(key)] = string(value)
		return nil
	}))
	assert.Equal(t, m.Keys, uint64(len(got)))
	var key [dataset.KeySize]byte
	for i, round := range last {
		keys.Key(uint64(i), &key)
		require.Equal(t, string(values.Updated(uint64(i), round, nil)), got[string(key[:])], "key %d, last of round %d", i, round)
	}
}

func TestUpdatesWhileReadingGiveTheDrawnKeysTheirRoundsValue(t *testing.T) {
	t.Parallel()
	eachUpdater(t, func(t *testing.T, j *Job) {
		for n, pace := range []Pace{0, 20_000} {
			k := reread(t, j)
			require.NoError(t, k.UpdateWhile(context.Background(), k.openUpdating, pace, uint64(n), func(ctx context.Context, db engine.UpdatingDB, round *Updater) error {
				assert.Len(t, k.Manifest.Updates, n+1)
				require.NoError(t, round.Start(ctx))
				readUntil(t, k, db, round, 3000)
				require.NoError(t, round.Stop())
				if round.Took() <= 0 || round.Rate() != float64(pace) {
					t.Errorf("%v at %v", round.Took(), round.Rate())
				}
				return round.Settle(ctx)
			}))
			m := reread(t, j).Manifest
			if u := m.Updates[n]; len(m.Updates) != n+1 || !u.Finished || u.Writes < 3000 || u.Seed != uint64(n) {
				t.Errorf("the manifest says %+v", m.Updates)
			}
			holdRounds(t, j)
		}
	})
}

// TestInterruptedUpdatesWhileReading: what was written before the interruption is there,
// and the manifest says how much that is.
func TestInterruptedUpdatesWhileReading(t *testing.T) {
	t.Parallel()
	eachUpdater(t, func(t *testing.T, j *Job) {
		k := reread(t, j)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		// UpdateWhile may leave it behind.
		err := k.updateWhile(ctx, k.openUpdating, 0, 7, func(ctx context.Context, db engine.UpdatingDB, round *Updater) error {
			require.NoError(t, round.Start(ctx))
			readUntil(t, k, db, round, 2000)
			cancel()
			return ctx.Err()
		})
		var said *Interrupted
		if !errors.As(err, &said) || !strings.Contains(said.Left, "did not finish") {
			t.Fatalf("ended with %v", err)
		}
		m := reread(t, j).Manifest
		if len(m.Updates) != 1 || m.Updates[0].Finished || m.Updates[0].Writes < 2000 {
			t.Fatalf("the manifest says %+v", m.Updates)
		}
		holdRounds(t, j)
		k = reread(t, j) // and the next round goes on from there
		require.NoError(t, k.UpdateWhile(context.Background(), k.openUpdating, 0, 8, func(ctx context.Context, db engine.UpdatingDB, round *Updater) error {
			require.NoError(t, round.Start(ctx))
			readUntil(t, k, db, round, 1000)
			return round.Stop()
		}))
		holdRounds(t, j)
	})
}

func TestNothingIsUpdatedBeforeTheStart(t *testing.T) {
	t.Parallel()
	eachUpdater(t, func(t *testing.T, j *Job) {
		for want, end := range map[string]error{"nothing of": context.Canceled, "broken": errBroken} {
			k := reread(t, j)
			err := k.UpdateWhile(context.Background(), k.openUpdating, 0, 1, func(context.Context, engine.UpdatingDB, *Updater) error { return end })
			if !errors.Is(err, end) || !strings.Contains(err.Error(), want) {
				t.Errorf("ended with %v", err)
			}
			if len(reread(t, j).Manifest.Updates) != 0 || len(k.Manifest.Updates) != 0 {
				t.Error("a round is on record that never began")
			}
		}
		holdRounds(t, j)
	})
}

// TestRoundThatCannotBeWrittenDownDoesNotBegin: nothing may be overwritten that the
// manifest does not allow.
func TestRoundThatCannotBeWrittenDownDoesNotBegin(t *testing.T) {
	t.Parallel()
	j := newJob(t, 101, 100, 2)
	require.NoError(t, j.New(context.Background()))
	k := again(t, j.Dir)
	manifest := filepath.Join(j.Dir, dataset.ManifestName)
	err := k.UpdateWhile(context.Background(), k.openUpdating, 0, 1, func(ctx context.Context, _ engine.UpdatingDB, round *Updater) error {
		require.NoError(t, os.Rename(manifest, manifest+".was"))
		require.NoError(t, os.Mkdir(manifest, 0o777)) // which no file is renamed over
		return round.Start(ctx)
	})
	assert.ErrorContains(t, err, "the updates of "+j.Dir+" did not finish: ")
	require.NoError(t, os.Remove(manifest))
	require.NoError(t, os.Rename(manifest+".was", manifest))
	assert.Empty(t, k.Manifest.Updates, "a round is on record that never began")
	holdRounds(t, again(t, j.Dir))
}

// readable makes the failing library one that can be read.
type readable struct {
	engine.DB
	*failing
}

func (r readable) Activity() (a engine.Activity)                            { return a }
func (r readable) CheckInterval(engine.UpdateInterval) (c []readpath.Check) { return nil }
func (r readable) State() string                                            { return r.failing.State() }
func (r readable) Close() error                                             { return r.failing.Close() }

// TestLibraryThatFailsBesideReadsEndsThem, with a call of its that never returns.
func TestLibraryThatFailsBesideReadsEndsThem(t *testing.T) {
	t.Parallel()
	j := newJob(t, 101, 100, 2)
	require.NoError(t, j.New(context.Background()))
	k := again(t, j.Dir)
	f := newFailing(t)
	never := make(chan struct{}) // what goes on after it would write to a directory that is being removed
	f.commit = func(n int64) error {
		if n == 3 {
			f.failed <- syscall.ENOSPC
			<-never
		}
		return nil
	}
	err := k.UpdateWhile(context.Background(), func() (engine.UpdatingDB, error) { return readable{failing: f}, nil }, 0, 1,
		func(ctx context.Context, _ engine.UpdatingDB, round *Updater) error {
			require.NoError(t, round.Start(ctx))
			<-never
			return nil
		})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some, then update again") {
		t.Errorf("ended with %v", err)
	}
	if u := again(t, j.Dir).Manifest.Updates; len(u) != 1 || u[0].Finished || u[0].Writes < 3*updaterBatch {
		t.Errorf("the manifest says %+v", u)
	}
}

// TestWriteThatFailsEndsTheReading, though reads would go well for ever.
func TestWriteThatFailsEndsTheReading(t *testing.T) {
	t.Parallel()
	j := newJob(t, 101, 100, 2)
	require.NoError(t, j.New(context.Background()))
	k := again(t, j.Dir)
	f := newFailing(t)
	f.commit = func(n int64) error {
		if n == 3 {
			return errBroken
		}
		return nil
	}
	err := k.UpdateWhile(context.Background(), func() (engine.UpdatingDB, error) { return readable{failing: f}, nil }, 0, 1,
		func(ctx context.Context, _ engine.UpdatingDB, round *Updater) error {
			require.NoError(t, round.Start(ctx))
			<-ctx.Done()
			return context.Cause(ctx)
		})
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "did not finish") {
		t.Errorf("ended with %v", err)
	}
}
