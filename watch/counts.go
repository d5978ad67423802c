package watch

import (
	"context"
	"slices"

	"getio/record"
	"getio/system/device"
	"getio/watch/probe"
)

// count takes over the number of Gets, and what they have looked up in the cache.
func (w *Watch) count() error {
	if err := w.waiting.take(w.probe); err != nil {
		return err
	}
	counts, err := w.probe.Counts()
	if err != nil {
		return err
	}
	for _, d := range w.databases {
		for _, t := range d.gets {
			t.gets = 0
		}
	}
	if slices.ContainsFunc(counts, func(c probe.Count) bool { return w.byAddress[c.DB] == nil }) {
		// One that was opened since may not have read a table yet. Where locks cannot be listed any
		// more, the process is ending.
		_ = w.findDatabases(context.Background())
	}
	ownerOf := func(g probe.Get) *database { return w.ownerOf(g, counts) }
	for _, c := range counts {
		if d := ownerOf(c.Get); d != nil {
			d.tally(c.Class).gets += int64(c.Gets)
		}
	}
	w.waiting.place(ownerOf)
	if w.recorder != nil {
		w.recorder.resolve(ownerOf)
	}
	return nil
}

// ownerOf returns the database of Gets. One that has not read a table yet is told by elimination.
func (w *Watch) ownerOf(g probe.Get, all []probe.Count) *database {
	if d := w.byAddress[g.DB]; d != nil {
		return d
	}
	for _, other := range all {
		if other.DB != g.DB && w.byAddress[other.DB] == nil {
			return nil
		}
	}
	owned := map[*database]bool{}
	for _, d := range w.byAddress {
		owned[d] = true
	}
	var left *database
	for _, d := range w.databases {
		switch {
		case owned[d] || !slices.Contains(d.likely, w.lookups[g.Entry].library):
		case left != nil:
			return nil
		default:
			left = d
		}
	}
	return left
}

// losses are what was lost so far.
func (w *Watch) losses() (l record.WatchLosses, err error) {
	lost, err := w.probe.Losses()
	if err != nil {
		return l, err
	}
	counts, err := w.probe.Counts()
	if err != nil {
		return l, err
	}
	l = record.WatchLosses{
		LostReads: int64(lost.Reads), AllReads: int64(lost.Finished), UntrackedGets: int64(lost.Untracked),
		UnownedReads: w.unowned, UnownedOther: w.unownedOther, UncountedReads: w.uncounted, UnbegunReads: w.unbegun,
	}
	for _, c := range counts {
		if w.ownerOf(c.Get, counts) == nil {
			l.UnplacedGets += int64(c.Gets)
		}
	}
	l.LostAccesses = int64(lost.Accesses)
	for _, n := range w.waiting {
		l.LostAccesses += n
	}
	for _, d := range w.databases {
		for _, t := range d.gets {
			l.LostAccesses += t.unmappedAccesses
			l.UnmappedReads += t.unmapped
			l.MisplacedReads += t.parts.Misplaced
		}
	}
	return l, nil
}

// deviceAccount is what the kernel says a process has read from devices while reads were counted.
type deviceAccount struct {
	earlier, began int64
	unknown        bool
}

// begin and end enclose a time in which reads are counted.
func (a *deviceAccount) begin(p *process) { a.began = a.now(p) }

func (a *deviceAccount) end(p *process) {
	a.earlier += a.now(p) - a.began
	a.began = 0
}

func (a *deviceAccount) now(p *process) int64 {
	n, err := device.ReadBytesOf(p.pid)
	a.unknown = a.unknown || err != nil
	return n
}
