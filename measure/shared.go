package measure

import (
	"context"
	"fmt"
	"time"

	"getio/engine"
	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/record"
)

// shared holds what a run records about the updates and background work beside its Gets.
type shared struct {
	db      engine.UpdatingDB
	whose   *attribution
	updates Updates

	before                *float64 // I/Os per Get of the last window before the updates
	began, ended, settled snapshot
	gets                  readpath.Reads // of Gets, warm-up included
	last                  snapshot       // start of the current window
	windows               []record.UpdateWindow
}

// snapshot holds all counts up to a point in time.
type snapshot struct {
	at           time.Time
	counts       engine.Counts
	unattributed readpath.Reads
	activity     engine.Activity
	writes       int64
}

func (s *shared) snapshot() snapshot {
	m := snapshot{at: time.Now(), counts: s.db.Counts(), activity: s.db.Activity()}
	m.unattributed.Count, m.unattributed.Bytes = s.whose.unattributed()
	m.writes, _ = s.updates.Written()
	return m
}

// window adds a window of Gets.
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
	now := s.snapshot()
	did, others := now.activity.Sub(s.last.activity), now.unattributed.Sub(s.last.unattributed)
	s.windows = append(s.windows, record.UpdateWindow{
		IOsPerGet: perGet, Gets: w.Gets, Seconds: now.at.Sub(s.last.at).Seconds(), Writes: now.writes - s.last.writes,
		L0Tables: did.L0Tables, L0Sublevels: did.L0Sublevels, Running: did.InProgress,
		Flushes: did.Flushes, Compactions: did.Compactions, Stalls: did.Stalls,
		OthersReads: others.Count.Sum(), OthersBytes: others.Bytes.Sum(),
	})
	s.last = now
}

// checkAttribution compares the reads of Gets plus those of others with all reads of files, from
// one settled state to the next.
func (s *shared) checkAttribution(before snapshot) readpath.Check {
	all, others := s.settled.counts.Sub(before.counts).Reads, s.settled.unattributed.Sub(before.unattributed)
	return readpath.Check{
		Name: "attribution",
		OK:   s.gets.Count.Add(others.Count) == all.Count && s.gets.Bytes.Add(others.Bytes) == all.Bytes,
		Detail: fmt.Sprintf("%d reads of Gets and %d of others, of %d reads of files; bytes %d and %d, of %d",
			s.gets.Count.Sum(), others.Count.Sum(), all.Count.Sum(), s.gets.Bytes.Sum(), others.Bytes.Sum(), all.Bytes.Sum()),
	}
}

// record returns the part of a result that describes the updates.
func (s *shared) record() *record.Updates {
	writes, bytes := s.updates.Written()
	took := s.updates.Took().Seconds()
	did, after := s.ended.activity.Sub(s.began.activity), s.settled.activity.Sub(s.ended.activity)
	written := s.settled.activity.Sub(s.began.activity).Written
	left := s.settled.unattributed.Sub(s.ended.unattributed)
	u := &record.Updates{
		Rate: s.updates.Rate(), Writes: writes, Bytes: bytes, Seconds: took,
		Before: s.before, Flushes: did.Flushes, Compactions: did.Compactions,
		Stalls:        record.Stalls{Count: did.Stalls, Seconds: did.StallTime.Seconds()},
		ReadsOfOthers: record.NewOtherReads(s.ended.unattributed.Sub(s.began.unattributed)),
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
			"only %.0f of %.0f updates per second were reached, as many as the library and this machine can make beside the Gets: choose a lower --update-rate, or fewer --workers", u.Reached, u.Rate))
	}
	if s.ended.activity.Written.Tables == s.began.activity.Written.Tables {
		warnings = append(warnings,
			"no table was written while Gets were measured, since the updates stayed in memory, where they disturb no read: choose more --gets, a higher --update-rate, or a smaller memtable with --option memtable_size=SIZE")
	}
	return warnings
}

// Updates overwrites keys of a database while Gets on it are measured.
type Updates interface {
	// Rate returns the intended updates per second; 0 means unthrottled.
	Rate() float64
	Start(context.Context) error
	// Written returns the updates so far, and the bytes of their keys and values.
	Written() (writes, bytes int64)
	// Stop stops the updates and waits for those in progress. Took returns how long they ran.
	Stop() error
	Took() time.Duration
	// Settle waits until the tree has settled.
	Settle(context.Context) error
}
