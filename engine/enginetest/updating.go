package enginetest

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"getio/dataset"
	"getio/engine"
	"getio/tree/readpath"
)

// updating reads a copy of the database while it is overwritten, holds what was counted
// against the library's own account, and finds every key with its last value.
func (l *loaded) updating(t *testing.T) {
	u, ok := l.Engine.(engine.Updater)
	if !ok {
		t.Fatalf("%s cannot be read while it is written to", l.Engine.Name())
	}
	copied := *l
	copied.dir = copyOf(t, l.dir)
	own := &ownReads{}
	db, err := u.OpenUpdating(copied.dir, l.cfg, engine.OpenConfig{CacheBytes: 1 << 20, Trace: own.trace})
	check(t, err)
	check(t, db.Settle(context.Background(), nil))
	all, activity := db.Counts(), db.Activity()
	check(t, copied.overwriteWhileReading(t, db, own))
	gets := db.Counts().Sub(all)
	gets.Reads = own.reads
	holds(t, db.Check(gets))
	check(t, db.Settle(context.Background(), nil))
	work := engine.UpdateInterval{Total: db.Counts().Sub(all), Gets: own.reads, Activity: db.Activity().Sub(activity)}
	holds(t, db.CheckInterval(work))
	a := work.Activity
	user := int64(updates) * int64(dataset.KeySize+l.values.Size())
	switch {
	case a.Flushes == 0 || a.Compactions == 0:
		t.Errorf("%d flushes, %d compactions", a.Flushes, a.Compactions)
	case a.Written.Logs < user:
		t.Errorf("%d bytes of logs for updates of %d", a.Written.Logs, user)
	case a.InProgress != 0:
		t.Errorf("%d compactions under way in a settled tree", a.InProgress)
	case own.reads.Count[readpath.Data] == 0 || work.Total.Reads.Count[readpath.Data] <= own.reads.Count[readpath.Data]:
		t.Errorf("Gets read %d data blocks, everybody %d", own.reads.Count[readpath.Data], work.Total.Reads.Count[readpath.Data])
	}
	if db.State() == "" {
		t.Error("the library says nothing of the tree's state")
	}
	check(t, db.Close())
	copied.holdUpdated(t)
	copied.refusesUpdating(t, u)
}

// updates overwrite key updatedKey(n) in turn, n from 0 on.
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
	var key [dataset.KeySize]byte
	var value []byte
	for n := 0; n < 5_000 || !written.Load(); n++ {
		i := r.Uint64N(keys)
		l.keys.Key(i, &key)
		var found bool
		var err error
		if value, found, err = db.Get(key[:], value); err != nil {
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
	var key [dataset.KeySize]byte
	for n := range uint64(updates) {
		i := updatedKey(n)
		l.keys.Key(i, &key)
		if err := batch.Set(key[:], l.values.Updated(i, 1, nil)); err != nil {
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

// ownReads are the reads of one goroutine, by the thread that it is held to.
type ownReads struct {
	thread atomic.Int64 // 0: nobody's
	reads  readpath.Reads
}

func (o *ownReads) begin() { o.thread.Store(int64(unix.Gettid())) }
func (o *ownReads) end()   { o.thread.Store(0) }

func (o *ownReads) trace(r engine.TableRead) {
	if o.thread.Load() == int64(unix.Gettid()) {
		o.reads.Count[r.Component]++
		o.reads.Bytes[r.Component] += int64(r.Length)
	}
}

// holdUpdated holds every key against the last value that it was given.
func (l *loaded) holdUpdated(t *testing.T) {
	t.Helper()
	round := make([]uint64, keys)
	for n := range uint64(updates) {
		round[updatedKey(n)] = 1
	}
	s := l.store(t)
	defer s.Close()
	if s.Info().WALKeys != 0 {
		t.Errorf("%d keys are left in the log", s.Info().WALKeys)
	}
	db, err := s.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	check(t, err)
	defer db.Close()
	var key [dataset.KeySize]byte
	for i := range uint64(keys) {
		l.keys.Key(i, &key)
		value, found, err := db.Get(key[:], nil)
		check(t, err)
		if !found || string(value) != string(l.values.Updated(i, round[i], nil)) {
			t.Fatalf("key %d of round %d: found %v, value %x", i, round[i], found, value)
		}
	}
}

// refusesUpdating tries what cannot be opened.
func (l *loaded) refusesUpdating(t *testing.T, u engine.Updater) {
	t.Helper()
	refuses := func(what, dir string, o engine.OpenConfig, want string) {
		t.Helper()
		db, err := u.OpenUpdating(dir, l.cfg, o)
		if err == nil {
			db.Close()
			t.Errorf("%s was opened", what)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	o := engine.OpenConfig{CacheBytes: 1 << 20}
	refuses("an absent directory", filepath.Join(t.TempDir(), "absent"), o, "is not there")
	refuses("an empty directory", t.TempDir(), o, "holds no")
	o.Shards = 6
	refuses("6 shards", l.dir, o, "6 cache shards cannot be made")
}
