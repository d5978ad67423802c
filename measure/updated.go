package measure

import (
	"context"
	"fmt"
	"time"

	"getio/engine"
	"getio/measure/workload"
	"getio/numbers/steady"
	"getio/record"
	"getio/system/device"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Updates overwrite keys of a database while Gets of it are measured.
type Updates interface {
	// Rate is how many are to be made a second; 0 as many as can be.
	Rate() float64
	Start(context.Context) error
	// Written is how many were made so far, and the bytes of their keys and values.
	Written() (writes, bytes int64)
	// Stop returns when nothing is being written any more, and Took is how long it was.
	Stop() error
	Took() time.Duration
	// Settle waits until the tree has settled.
	Settle(context.Context) error
}

// Updated is a measurement of Gets of a database that is overwritten meanwhile: after a
// warm-up that nobody disturbs, updates begin and end with the measured Gets. What Gets
// read is told from what others do by the threads that Gets are made on.
type Updated struct {
	// Info and Shape are those of the database at rest, before.
	Info    engine.Info
	Shape   *lsm.Shape
	Options Options

	whose *attribution
}

// NewUpdated returns a measurement to be made.
func NewUpdated(info engine.Info, shape *lsm.Shape, opts Options) (*Updated, error) {
	if err := RequireThreads(); err != nil {
		return nil, err
	}
	if opts.Gets == 0 {
		opts.Gets = DefaultGets(shape)
	}
	return &Updated{Info: info, Shape: shape, Options: opts, whose: newAttribution()}, checkWarmup(info, opts)
}

// Trace is for the open of the database.
func (u *Updated) Trace(r engine.TableRead) { u.whose.read(r) }

// Measure measures the Gets of a database whose tree has settled.
func (u *Updated) Measure(ctx context.Context, db engine.UpdatingDB, updates Updates, gets workload.Gets) (*record.Result, error) {
	r := &run{
		db: db, attribution: u.whose, gets: gets, opts: u.Options, minGets: u.Shape.MinWindowGets(), cache: db.Cache().Bytes,
		shared: &shared{db: db, whose: u.whose, updates: updates},
	}
	s := r.shared
	atRest := s.moment()
	if err := r.warmUp(ctx); err != nil {
		return nil, err
	}
	warmup := r.next
	s.began = s.moment()
	if err := updates.Start(ctx); err != nil {
		return nil, err
	}
	windows, err := r.measure(ctx, Stage{Phase: PhaseMeasure}, r.wanted())
	if err != nil {
		return nil, err
	}
	if err := updates.Stop(); err != nil {
		return nil, err
	}
	s.ended = s.moment()
	counts := r.counts()
	checks := db.Check(counts)
	distribution := r.distribution()
	if distribution != nil {
		checks = append(checks, checkOwnDistribution(distribution, u.Options.Gets, counts.Reads))
	}
	if err := updates.Settle(ctx); err != nil {
		return nil, err
	}
	s.settled = s.moment()
	s.gets = r.allOwn()
	checks = append(checks, s.checkAttribution(atRest))
	checks = append(checks, db.CheckInterval(engine.UpdateInterval{
		Total: s.settled.counts.Sub(atRest.counts), Gets: s.gets, Activity: s.settled.activity.Sub(atRest.activity),
	})...)
	result := newResult(u.Info, u.Shape, db.Cache(), counts, checks)
	result.Cached, result.SharedLoads = nil, nil // of others too
	if distribution != nil {
		distribution.UnattributedReads = s.ended.strays.Sub(s.began.strays).Count.Sum()
		result.Distribution = distribution
	}
	r.describe(result, windows, warmup)
	result.Updates = s.record()
	result.Warnings = append(result.Warnings, s.warnings()...)
	return result, nil
}

// own is what the Gets of the phase read, where others read too.
func (r *run) own() (reads readpath.Reads) {
	for _, w := range r.workers {
		reads.Count, reads.Bytes = reads.Count.Add(w.tally.count), reads.Bytes.Add(w.tally.bytes)
	}
	return reads
}

// allOwn is what all Gets of the run read so far, as far as it is attributed.
func (r *run) allOwn() readpath.Reads {
	reads := r.own()
	reads.Count, reads.Bytes = reads.Count.Add(r.ownBefore.Count), reads.Bytes.Add(r.ownBefore.Bytes)
	return reads
}

// checkOwnDistribution holds the reads of single Gets against those of all of them.
func checkOwnDistribution(d *record.Distribution, gets int64, own readpath.Reads) readpath.Check {
	return readpath.Check{
		Name: "distribution", OK: d.Gets() == gets && d.Reads() == own.Count.Sum(),
		Detail: fmt.Sprintf("%d Gets of %d with %d reads, of %d reads of Gets", d.Gets(), gets, d.Reads(), own.Count.Sum()),
	}
}

// describeShared fills in what is known of the files and of the time that the Gets took,
// where others use them too.
func (r *run) describeShared(result *record.Result) {
	result.Device.PageCache = string(device.Keep)
	result.GetsPerSecond = r.speed()
}

// shared is what a run knows of those that use the database beside its Gets.
type shared struct {
	db      engine.UpdatingDB
	whose   *attribution
	updates Updates

	before                *float64 // I/Os per Get of the last window before the updates
	began, ended, settled moment
	gets                  readpath.Reads // that Gets made from the beginning of the warm-up on
	last                  moment         // where the window under way began
	windows               []record.UpdateWindow
}

// moment is what was counted until then.
type moment struct {
	at       time.Time
	counts   engine.Counts
	strays   readpath.Reads
	activity engine.Activity
	writes   int64
}

func (s *shared) moment() moment {
	m := moment{at: time.Now(), counts: s.db.Counts(), activity: s.db.Activity()}
	m.strays.Count, m.strays.Bytes = s.whose.strays()
	m.writes, _ = s.updates.Written()
	return m
}

// window notes a window of Gets.
func (s *shared) window(phase string, w steady.Window) {
	if w.Gets == 0 { // no warm-up
		return
	}
	perGet := w.Reads / float64(w.Gets)
	if phase == PhaseWarmUp {
		s.before = &perGet
		return
	}
	if s.last.at.IsZero() {
		s.last = s.began
	}
	now := s.moment()
	did, others := now.activity.Sub(s.last.activity), now.strays.Sub(s.last.strays)
	s.windows = append(s.windows, record.UpdateWindow{
		IOsPerGet: perGet, Gets: w.Gets, Seconds: now.at.Sub(s.last.at).Seconds(), Writes: now.writes - s.last.writes,
		L0Tables: did.L0Tables, L0Sublevels: did.L0Sublevels, Running: did.InProgress,
		Flushes: did.Flushes, Compactions: did.Compactions, Stalls: did.Stalls,
		OthersReads: others.Count.Sum(), OthersBytes: others.Bytes.Sum(),
	})
	s.last = now
}

// checkAttribution holds the reads of Gets and those of others against all that reached
// the files from one moment at rest to another.
func (s *shared) checkAttribution(atRest moment) readpath.Check {
	all, others := s.settled.counts.Sub(atRest.counts).Reads, s.settled.strays.Sub(atRest.strays)
	return readpath.Check{
		Name: "attribution",
		OK:   s.gets.Count.Add(others.Count) == all.Count && s.gets.Bytes.Add(others.Bytes) == all.Bytes,
		Detail: fmt.Sprintf("%d reads of Gets and %d of others, of %d reads of files; bytes %d and %d, of %d",
			s.gets.Count.Sum(), others.Count.Sum(), all.Count.Sum(), s.gets.Bytes.Sum(), others.Bytes.Sum(), all.Bytes.Sum()),
	}
}

// record is what is written down.
func (s *shared) record() *record.Updates {
	writes, bytes := s.updates.Written()
	took := s.updates.Took().Seconds()
	did, after := s.ended.activity.Sub(s.began.activity), s.settled.activity.Sub(s.ended.activity)
	written := s.settled.activity.Sub(s.began.activity).Written
	left := s.settled.strays.Sub(s.ended.strays)
	u := &record.Updates{
		Rate: s.updates.Rate(), Writes: writes, Bytes: bytes, Seconds: took,
		Before: s.before, Flushes: did.Flushes, Compactions: did.Compactions,
		Stalls:        record.Stalls{Count: did.Stalls, Seconds: did.StallTime.Seconds()},
		ReadsOfOthers: record.NewOtherReads(s.ended.strays.Sub(s.began.strays)),
		Settling: record.Settling{
			Seconds: s.settled.at.Sub(s.ended.at).Seconds(), Flushes: after.Flushes, Compactions: after.Compactions,
			Reads: left.Count.Sum(), Bytes: left.Bytes.Sum(),
		},
		Written: record.Written{Tables: written.Tables, Logs: written.Logs, Other: written.Other},
		Windows: s.windows,
	}
	if took > 0 {
		u.Reached = float64(writes) / took
	}
	if bytes > 0 {
		u.WriteAmplification = record.WriteAmplification{
			Tables: float64(written.Tables) / float64(bytes), WithLog: float64(written.Tables+written.Logs) / float64(bytes),
		}
	}
	return u
}

func (s *shared) warnings() (warnings []string) {
	u := s.record()
	if u.Rate > 0 && u.Reached < (1-unreached)*u.Rate {
		warnings = append(warnings, fmt.Sprintf(
			"only %.0f of %.0f updates per second were reached: the library or this machine does not take more beside the Gets; ask for a lower --update-rate, or fewer --workers", u.Reached, u.Rate))
	}
	if s.ended.activity.Written.Tables == s.began.activity.Written.Tables {
		warnings = append(warnings,
			"no table was written while Gets were measured: the updates stayed in memory, where they disturb no read; take more --gets, a higher --update-rate, or a smaller memtable with --option memtable_size=SIZE")
	}
	return warnings
}
