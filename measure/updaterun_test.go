package measure

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/record"
	"getio/workload"
)

// fakeUpdating is a database whose Gets make one read each, or two once updates have begun, while
// another goroutine reads too.
type fakeUpdating struct {
	*fakeDB
	trace    func(engine.TableRead)
	updating atomic.Bool
	all      atomic.Int64 // reads
	lost     atomic.Int64 // reads counted but not traced
	flushes  atomic.Int64
	work     engine.UpdateInterval // argument of CheckInterval
}

func (d *fakeUpdating) read(component readpath.Component) {
	d.all.Add(1)
	d.trace(engine.TableRead{Component: component, Length: 100})
}

func (d *fakeUpdating) Get(_, buf []byte) ([]byte, bool, error) {
	d.read(readpath.Data)
	if d.updating.Load() {
		d.read(readpath.Data)
	}
	return buf[:0], true, nil
}

func (d *fakeUpdating) Counts() (c engine.Counts) {
	c.Reads.Count[readpath.Data] = d.all.Load() + d.lost.Load()
	c.Reads.Bytes[readpath.Data] = 100 * c.Reads.Count[readpath.Data]
	c.Accesses.FiltersOnly = true
	return c
}

func (d *fakeUpdating) Check(gets engine.Counts) []readpath.Check {
	return []readpath.Check{{Name: "gets", OK: gets.Reads.Count.Sum() > 0}}
}

func (d *fakeUpdating) CheckInterval(w engine.UpdateInterval) []readpath.Check {
	d.work = w
	return []readpath.Check{{Name: "work", OK: true}}
}

func (d *fakeUpdating) Activity() (a engine.Activity) {
	a.Flushes = d.flushes.Load()
	a.Written = engine.BytesWritten{Tables: 1000 * a.Flushes, Logs: 200 * a.Flushes, Other: a.Flushes}
	a.L0Tables, a.L0Sublevels = a.Flushes, 1
	return a
}

func (d *fakeUpdating) NewBatch() engine.Batch                                    { return nil }
func (d *fakeUpdating) Settle(context.Context, func(engine.SettleProgress)) error { return nil }
func (d *fakeUpdating) Failed() <-chan error                                      { return nil }

// fakeUpdates flush ten times at once, and once more when the tree settles.
type fakeUpdates struct {
	db     *fakeUpdating
	rate   float64
	quiet  bool // nothing is flushed
	start  error
	others sync.WaitGroup
	stop   chan struct{}
}

func (u *fakeUpdates) Rate() float64           { return u.rate }
func (u *fakeUpdates) Took() time.Duration     { return time.Second }
func (u *fakeUpdates) Written() (int64, int64) { return 500, 5000 }

func (u *fakeUpdates) Start(context.Context) error {
	u.stop = make(chan struct{})
	u.db.updating.Store(true)
	if u.quiet {
		return u.start
	}
	u.db.flushes.Store(10)
	u.others.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-u.stop:
				if n > 0 {
					return
				}
			default:
			}
			u.db.read(readpath.Data)
		}
	})
	return u.start
}

func (u *fakeUpdates) Stop() error {
	close(u.stop)
	u.others.Wait()
	return nil
}

func (u *fakeUpdates) Settle(context.Context) error {
	if !u.quiet {
		u.db.flushes.Add(1)
		u.db.read(readpath.Data)
	}
	return nil
}

// measureUpdated measures 40,000 Gets after 1,000 with two workers.
func measureUpdated(t *testing.T, adjust func(*fakeUpdating, *fakeUpdates, *Options)) (*record.Result, *fakeUpdating, error) {
	t.Helper()
	opts := Options{Workload: workload.Workload{Gets: 40_000, Warmup: workload.WarmupGets(1000), Workers: 2}, Counted: Counted{Distribution: true}}
	db := &fakeUpdating{fakeDB: &fakeDB{store: newFakeStore(nil), cfg: engine.OpenConfig{CacheBytes: 1 << 20}}}
	updates := &fakeUpdates{db: db, rate: 500}
	if adjust != nil {
		adjust(db, updates, &opts)
	}
	u, err := NewUpdateRun(db.store.Info(), db.store.Shape(), opts)
	if err != nil {
		return nil, db, err
	}
	db.trace = u.Trace
	r, err := u.Measure(context.Background(), db, updates, fakeGets())
	return r, db, err
}

func TestUpdateRunAttributesReads(t *testing.T) {
	r, db, err := measureUpdated(t, nil)
	require.NoError(t, err)
	if !r.Checks.Hold() {
		t.Fatalf("%+v", r.Checks.Failed())
	}
	u := r.Updates
	others := db.all.Load() - 1000 - 2*40_000
	switch {
	case r.IOsPerGet.Mean != 2 || r.Components["data"].Misses != 80_000 || r.Components["data"].BytesRead != 8_000_000:
		t.Errorf("%v I/Os per Get, %+v", r.IOsPerGet.Mean, r.Components)
	case u.Before == nil || *u.Before != 1:
		t.Errorf("%v I/Os per Get before", u.Before)
	case u.ReadsOfOthers.Reads+u.Settling.Reads != others || u.Settling.Reads < 1 || u.ReadsOfOthers.Components["data"].Bytes != 100*u.ReadsOfOthers.Reads:
		t.Errorf("others made %d reads: %+v, %+v", others, u.ReadsOfOthers, u.Settling)
	case db.work.Gets.Count.Sum() != 81_000 || db.work.Total.Reads.Count.Sum() != db.all.Load():
		t.Errorf("the library was asked about %+v", db.work)
	case u.Flushes != 10 || u.Settling.Flushes != 1 || u.Written != record.Written{Tables: 11_000, Logs: 2200, Other: 11}:
		t.Errorf("%+v", u)
	case u.WriteAmplification != record.WriteAmplification{Tables: 2.2, WithLog: 2.64} || u.Writes != 500 || u.Reached != 500 || u.Rate != 500:
		t.Errorf("%+v", u)
	case r.Cached != nil || r.SharedLoads != nil || r.CPUusPerGet != 0 || r.Device.BytesPerGet != nil || r.Components["data"].Accesses != nil:
		t.Errorf("figures include those of others: %+v", r)
	case r.Distribution.Histogram[2] != 40_000 || r.Distribution.UnattributedReads != u.ReadsOfOthers.Reads:
		t.Errorf("%+v", r.Distribution)
	}
	holdWindows(t, r)
}

// holdWindows compares the windows of updates and their sums with those of the Gets.
func holdWindows(t *testing.T, r *record.Result) {
	t.Helper()
	u := r.Updates
	require.Len(t, u.Windows, len(r.IOsPerGet.Windows))
	var gets, flushes, reads int64
	for i, w := range u.Windows {
		gets, flushes, reads = gets+w.Gets, flushes+w.Flushes, reads+w.OthersReads
		if w.IOsPerGet != r.IOsPerGet.Windows[i] || w.L0Tables != 10 {
			t.Errorf("window %d: %+v", i, w)
		}
	}
	// Updates end after the last window does.
	if gets != r.Workload.Gets || flushes != 10 || reads > u.ReadsOfOthers.Reads {
		t.Errorf("%d Gets, %d flushes, %d reads of others in all windows", gets, flushes, reads)
	}
}

// TestUnknownReadsFailTheUpdateRun checks that an untraced read fails the attribution check.
func TestUnknownReadsFailTheUpdateRun(t *testing.T) {
	r, _, err := measureUpdated(t, func(db *fakeUpdating, u *fakeUpdates, _ *Options) { u.quiet = true })
	require.NoError(t, err)
	if !r.Checks.Hold() {
		t.Errorf("%+v", r.Checks.Failed())
	}
	r, _, err = measureUpdated(t, func(db *fakeUpdating, u *fakeUpdates, o *Options) {
		u.quiet = true
		o.Progress = func(Stage) { db.lost.Store(1) }
	})
	require.NoError(t, err)
	if failed := r.Checks.Failed(); len(failed) != 1 || failed[0].Name != "attribution" {
		t.Errorf("%+v", failed)
	}
}

func TestUpdateRunWarnings(t *testing.T) {
	r, _, err := measureUpdated(t, func(_ *fakeUpdating, u *fakeUpdates, _ *Options) { u.quiet, u.rate = true, 1000 })
	require.NoError(t, err)
	said := strings.Join(r.Warnings, "\n")
	for _, want := range []string{"only 500 of 1000 updates per second were reached", "no table was written"} {
		assert.Contains(t, said, want)
	}
}

func TestUpdateRunErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	_, _, err := measureUpdated(t, func(_ *fakeUpdating, u *fakeUpdates, _ *Options) { u.quiet, u.start = true, broken })
	assert.ErrorIs(t, err, broken)
	if _, _, err := measureUpdated(t, func(_ *fakeUpdating, _ *fakeUpdates, o *Options) { o.Warmup = workload.WarmupOneIn(2000) }); err == nil || !strings.Contains(err.Error(), "share of the keys") {
		t.Errorf("a share of unknown keys: %v", err)
	}
}

func TestUpdateRunAtARate(t *testing.T) {
	r, _, err := measureUpdated(t, func(_ *fakeUpdating, u *fakeUpdates, o *Options) { u.quiet, o.Rate = true, workload.MaxRate })
	require.NoError(t, err)
	if r.Latency == nil || r.Latency.Reached == 0 || r.GetsPerSecond != r.Latency.Reached {
		t.Errorf("%v Gets per second, %+v", r.GetsPerSecond, r.Latency)
	}
}

func TestUpdateRunReportsActivity(t *testing.T) {
	var stages []Stage
	_, _, err := measureUpdated(t, func(_ *fakeUpdating, _ *fakeUpdates, o *Options) {
		o.Progress = func(s Stage) { stages = append(stages, s) }
	})
	require.NoError(t, err)
	last := stages[len(stages)-1]
	if last.Activity == nil || last.Activity.L0Tables != 10 || last.Counts.Reads.Count.Sum() != 80_000 {
		t.Errorf("%+v", last)
	}
}
