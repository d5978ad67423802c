package load

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/workload/dataset"
)

// failing is a library whose calls fail as its fields say.
type failing struct {
	engine.Engine
	failed  chan error
	hang    chan struct{} // closed at the end of the test
	commit  func(n int64) error
	sync    func() error
	settle  func() error
	close   func() error
	has     func() error
	commits atomic.Int64
	records int64 // in the closed database
}

func newFailing(t *testing.T) *failing {
	ok := func() error { return nil }
	f := &failing{
		failed: make(chan error, 1), hang: make(chan struct{}),
		commit: func(int64) error { return nil }, sync: ok, settle: ok, close: ok, has: ok,
		records: 1 << 40, // written again and again
	}
	t.Cleanup(func() { close(f.hang) })
	return f
}

func (f *failing) Recognise(string, ...string) (engine.Recognised, error) {
	return engine.Recognised{}, nil
}
func (f *failing) Create(string, engine.Config) (engine.Loader, error)       { return f, nil }
func (f *failing) Resume(string, engine.Config) (engine.Loader, error)       { return f, nil }
func (f *failing) NewBatch() engine.Batch                                    { return failingBatch{f} }
func (f *failing) Set(_, _ []byte) error                                     { return f.commit(f.commits.Add(1)) }
func (f *failing) Has([]byte) (bool, error)                                  { return false, f.has() }
func (f *failing) Sync() error                                               { return f.sync() }
func (f *failing) State() string                                             { return "failing" }
func (f *failing) Failed() <-chan error                                      { return f.failed }
func (f *failing) Close() error                                              { return f.close() }
func (f *failing) Flush() error                                              { return nil }
func (f *failing) Settle(context.Context, func(engine.SettleProgress)) error { return f.settle() }

func (f *failing) OpenStore(context.Context, string, engine.Config) (engine.Store, error) {
	return countedStore{records: f.records}, nil
}

// countedStore is a store of which only the number of records is known.
type countedStore struct {
	engine.Store
	records int64
}

func (countedStore) Info() engine.Info { return engine.Info{} }
func (countedStore) Close() error      { return nil }

func (s countedStore) Shape() *lsm.Shape {
	return &lsm.Shape{Levels: []lsm.Level{{Tables: 1, Records: s.records}}}
}

type failingBatch struct{ *failing }

func (failingBatch) Set(_, _ []byte) error { return nil }
func (b failingBatch) Commit() error       { return b.commit(b.commits.Add(1)) }
func (failingBatch) Close() error          { return nil }

var errBroken = errors.New("broken")

// TestShortDatabaseIsIncomplete loads with a library that loses a key without an error. The load fails, and a
// resumed one looks for every key.
func TestShortDatabaseIsIncomplete(t *testing.T) {
	f := newFailing(t)
	j := newJob(t, 10_000, 100, 2)
	j.Engine = f
	f.records = 9_999
	assert.ErrorIs(t, j.New(context.Background()), errIncomplete)
	m, err := dataset.Read(j.Dir)
	require.NoError(t, err)
	assert.False(t, m.Complete)
	assert.Equal(t, &dataset.Progress{Horizon: 10_000}, m.Progress)
	f.records = 10_000
	k := again(t, j.Dir)
	k.Engine = f
	assert.NoError(t, k.Resume(context.Background()))
}

// waits blocks until the test ends, as calls of a failed library may.
func (f *failing) waits() error {
	<-f.hang
	return nil
}

func TestFailureOfTheLibraryEndsTheLoad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail func(f *failing)
		want error
	}{
		"a commit fails": {func(f *failing) {
			f.commit = func(n int64) error { return at(n, 7, errBroken) }
		}, errBroken},
		"the first commit fails": {func(f *failing) { f.commit = func(int64) error { return errBroken } }, errBroken},
		"a commit finds the disk full": {func(f *failing) {
			f.commit = func(n int64) error { return at(n, 7, fmt.Errorf("write: %w", syscall.ENOSPC)) }
		}, syscall.ENOSPC},
		"a sync fails":   {func(f *failing) { f.sync = func() error { return errBroken } }, errBroken},
		"settling fails": {func(f *failing) { f.settle = func() error { return errBroken } }, errBroken},
		"closing fails":  {func(f *failing) { f.close = func() error { return errBroken } }, errBroken},
		"the library fails while commits hang": {func(f *failing) {
			f.commit = func(n int64) error {
				if n < 7 {
					return nil
				}
				select {
				case f.failed <- errBroken:
				default:
				}
				return f.waits()
			}
		}, errBroken},
		"the library fails while a sync hangs": {func(f *failing) {
			f.sync = func() error { f.failed <- fmt.Errorf("sync: %w", syscall.ENOSPC); return f.waits() }
		}, syscall.ENOSPC},
		"the library fails while it settles": {func(f *failing) {
			f.settle = func() error { f.failed <- errBroken; return f.waits() }
		}, errBroken},
		"the library fails while it closes": {func(f *failing) {
			f.close = func() error { f.failed <- errBroken; return f.waits() }
		}, errBroken},
	} {
		for _, batch := range []int{0, 100} {
			t.Run(fmt.Sprintf("%s/batch %d", name, batch), func(t *testing.T) {
				f := newFailing(t)
				c.fail(f)
				j := newJob(t, 5000, batch, 3)
				j.Engine = f
				err := j.New(context.Background())
				require.ErrorIs(t, err, c.want)
				if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "--resume") {
					t.Errorf("the error does not say how to resume: %s", text)
				}
				if errors.Is(c.want, syscall.ENOSPC) && !strings.Contains(err.Error(), "no space") {
					t.Errorf("the error does not mention space: %v", err)
				}
				holdUnfinished(t, j.Dir)
			})
		}
	}
}

func at(n, fails int64, err error) error {
	if n == fails {
		return err
	}
	return nil
}

// holdUnfinished checks that the manifest describes a load that can be resumed.
func holdUnfinished(t *testing.T, dir string) {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	if m.Complete || !m.Finished.IsZero() || m.Progress == nil {
		t.Errorf("manifest: complete %v, finished %v, %+v", m.Complete, m.Finished, m.Progress)
	}
}

// Keys committed before a library failed count as durable only if a sync followed.
func TestKeysAreDurableOnlyAfterASync(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	syncs := 0
	f.sync = func() error {
		if syncs++; syncs > 3 { // the first sync precedes any key
			return errBroken
		}
		return nil
	}
	j := newJob(t, 5000, 100, 3)
	j.Engine = f
	if err := j.New(context.Background()); !errors.Is(err, errBroken) {
		t.Fatalf("the load ended with %v", err)
	}
	m, err := dataset.Read(j.Dir)
	require.NoError(t, err)
	assert.Equal(t, dataset.Progress{Durable: 2000, Horizon: 3000}, *m.Progress)
}

func TestFailureToLookAKeyUpEndsTheResume(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	f.commit = func(int64) error { return errBroken }
	j := newJob(t, 500, 100, 2)
	j.Engine = f
	if err := j.New(context.Background()); !errors.Is(err, errBroken) {
		t.Fatalf("the load ended with %v", err)
	}
	f.commit = func(int64) error { return nil }
	f.has = func() error { return errors.New("damaged block") }
	k := again(t, j.Dir)
	k.Engine = f
	assert.ErrorContains(t, k.Resume(context.Background()), "damaged block")
	holdUnfinished(t, j.Dir)
}

func TestFailureOfTheLibraryEndsUpdates(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(f *failing){
		"a commit fails": func(f *failing) { f.commit = func(n int64) error { return at(n, 2, errBroken) } },
		"the library fails while commits hang": func(f *failing) {
			f.commit = func(int64) error { f.failed <- errBroken; return f.waits() }
		},
		"settling fails": func(f *failing) { f.settle = func() error { return errBroken } },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFailing(t)
			j := newJob(t, 5000, 100, 3)
			j.Engine = f
			require.NoError(t, j.New(context.Background()))
			fail(f)
			f.commits.Store(0)
			k := again(t, j.Dir)
			k.Engine = f
			if err := k.Update(context.Background(), 3000, 1); !errors.Is(err, errBroken) {
				t.Errorf("Update: error %v", err)
			}
			m, err := dataset.Read(j.Dir)
			require.NoError(t, err)
			if len(m.Updates) != 1 || m.Updates[0].Finished {
				t.Errorf("manifest: updates %+v", m.Updates)
			}
		})
	}
}

// A load whose library hangs returns soon after the user interrupts it.
func TestLoadThatHangsCanBeInterrupted(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f.commit = func(int64) error { cancel(); return f.waits() }
	j := newJob(t, 5000, 100, 3)
	j.Engine = f
	if err := j.New(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("the load ended with %v", err)
	}
	holdUnfinished(t, j.Dir)
}
