package engines_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
	"getio/workload/dataset"
)

// updating reads a copy of the database while it is overwritten. What was counted must
// agree with the library's own figures, and every key must have its last value.
func (l *loaded) updating(t *testing.T) {
	u, ok := l.Engine.(engine.Updater)
	require.True(t, ok, "%s cannot be read while it is written to", l.Engine.Name())
	copied := l.copied(t)
	own := &ownReads{}
	db, err := u.OpenUpdating(copied.dir, l.cfg, engine.OpenConfig{CacheBytes: 1 << 20, Trace: own.trace})
	require.NoError(t, err)
	require.NoError(t, db.Settle(context.Background(), nil))
	before, activity := db.Counts(), db.Activity()
	require.NoError(t, copied.overwriteWhileReading(t, db, own))
	gets := db.Counts().Sub(before)
	gets.Reads = own.reads
	enginetest.Holds(t, db.Check(gets))
	require.NoError(t, db.Settle(context.Background(), nil))
	interval := engine.UpdateInterval{Total: db.Counts().Sub(before), Gets: own.reads, Activity: db.Activity().Sub(activity)}
	enginetest.Holds(t, db.CheckInterval(interval))
	a := interval.Activity
	user := int64(updates) * int64(dataset.KeySize+l.values.Size())
	switch {
	case a.Flushes == 0 || a.Compactions == 0:
		t.Errorf("%d flushes, %d compactions", a.Flushes, a.Compactions)
	case a.Written.Logs < user:
		t.Errorf("%d bytes of logs for updates of %d", a.Written.Logs, user)
	case a.InProgress != 0:
		t.Errorf("%d compactions under way in a settled tree", a.InProgress)
	case own.reads.Count[readpath.Data] == 0 || interval.Total.Reads.Count[readpath.Data] <= own.reads.Count[readpath.Data]:
		t.Errorf("Gets read %d data blocks, everybody %d", own.reads.Count[readpath.Data], interval.Total.Reads.Count[readpath.Data])
	}
	assert.NotEmpty(t, db.State(), "State describes nothing")
	require.NoError(t, db.Close())
	copied.requireUpdated(t)
	copied.refusesUpdating(t, u)
}

// updates is how many keys are overwritten: updatedKey(n) for n from 0.
const updates = keys

func updatedKey(n uint64) uint64 { return dataset.Bounded(dataset.Draw(9, n), keys) }

func (l *loaded) overwriteWhileReading(t *testing.T, db engine.UpdatingDB, own *ownReads) error {
	var written atomic.Bool
	done := make(chan error, 1)
	go func() {
		defer written.Store(true)
		done <- l.overwrite(db)
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own.begin()
	values := l.values.WithUpdates(1)
	r := rand.New(rand.NewPCG(1, 2))
	var value []byte
	for n := 0; n < 5_000 || !written.Load(); n++ {
		i := r.Uint64N(keys)
		var found bool
		var err error
		if value, found, err = db.Get(l.key(i), value); err != nil {
			return err
		}
		if !found || !values.Check(i, value) {
			t.Errorf("key %d: found %v, value %x", i, found, value)
		}
	}
	own.end()
	return <-done
}

func (l *loaded) overwrite(db engine.UpdatingDB) error {
	batch := db.NewBatch()
	defer batch.Close()
	for n := range uint64(updates) {
		i := updatedKey(n)
		if err := batch.Set(l.key(i), l.values.Updated(i, 1, nil)); err != nil {
			return err
		}
		if n%100 == 99 || n+1 == updates {
			if err := batch.Commit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownReads counts the reads of one goroutine, which is locked to a thread.
type ownReads struct {
	thread atomic.Int64 // 0 for none
	reads  readpath.Reads
}

func (o *ownReads) begin() { o.thread.Store(int64(threadID())) }
func (o *ownReads) end()   { o.thread.Store(0) }

func (o *ownReads) trace(r engine.TableRead) {
	if o.thread.Load() == int64(threadID()) {
		o.reads.Count[r.Component]++
		o.reads.Bytes[r.Component] += int64(r.Length)
	}
}

// requireUpdated compares every key's value with the last one that it was given.
func (l *loaded) requireUpdated(t *testing.T) {
	t.Helper()
	round := make([]uint64, keys)
	for n := range uint64(updates) {
		round[updatedKey(n)] = 1
	}
	s, err := l.Engine.OpenStore(context.Background(), l.dir, l.cfg)
	require.NoError(t, err)
	defer s.Close()
	assert.Zero(t, s.Info().WALKeys)
	db, err := s.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	defer db.Close()
	for i := range uint64(keys) {
		value, found, err := db.Get(l.key(i), nil)
		require.NoError(t, err)
		if !found || string(value) != string(l.values.Updated(i, round[i], nil)) {
			t.Fatalf("key %d of round %d: found %v, value %x", i, round[i], found, value)
		}
	}
}

// refusesUpdating opens what cannot be opened.
func (l *loaded) refusesUpdating(t *testing.T, u engine.Updater) {
	t.Helper()
	for _, c := range []struct {
		dir    string
		shards int
		want   string
	}{
		{filepath.Join(t.TempDir(), "absent"), 0, "does not exist"},
		{t.TempDir(), 0, "holds no"},
		{l.dir, 6, "6 cache shards cannot be made"},
	} {
		db, err := u.OpenUpdating(c.dir, l.cfg, engine.OpenConfig{CacheBytes: 1 << 20, Shards: c.shards})
		if err == nil {
			db.Close()
		}
		enginetest.RequireError(t, c.want, err, c.want)
	}
}
