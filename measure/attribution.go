package measure

import (
	"maps"
	"runtime"
	"sync"
	"sync/atomic"

	"getio/engine"
	"getio/engine/readpath"
)

// attribution attributes reads of tables to the goroutines that make Gets. A library reads on
// the goroutine that calls it, so the thread to which a goroutine is locked identifies its
// reads. It is safe for concurrent use; attributing a read takes no lock and no allocation.
type attribution struct {
	tallies atomic.Pointer[map[int]*tally] // by thread; replaced, never changed
	change  sync.Mutex                     // held to replace it
	others  unattributedReads
}

// tally counts the reads of one goroutine. While the goroutine is held to its thread, only it
// may access the tally; others may read it afterwards.
type tally struct {
	readpath.Reads     // footers and misplaced reads are not known
	sinceGet       int // reads since nextGet
}

// nextGet returns the reads since its last call.
func (t *tally) nextGet() int {
	n := t.sinceGet
	t.sinceGet = 0
	return n
}

// unattributedReads counts the reads on all other threads.
type unattributedReads struct {
	count, bytes [readpath.NumComponents]atomic.Int64
}

func newAttribution() *attribution {
	a := &attribution{}
	a.tallies.Store(&map[int]*tally{})
	return a
}

// hold locks the calling goroutine to its thread and counts its reads in t, until it calls release.
func (a *attribution) hold(t *tally) (release func()) {
	runtime.LockOSThread()
	thread := threadID()
	a.replace(func(tallies map[int]*tally) { tallies[thread] = t })
	return func() {
		a.replace(func(tallies map[int]*tally) { delete(tallies, thread) })
		runtime.UnlockOSThread()
	}
}

func (a *attribution) replace(change func(map[int]*tally)) {
	a.change.Lock()
	defer a.change.Unlock()
	tallies := maps.Clone(*a.tallies.Load())
	change(tallies)
	a.tallies.Store(&tallies)
}

// own returns the tally of the calling goroutine, or nil if it is not held.
//
// A goroutine that is not held may move to another thread at any time, even to one that a held
// goroutine has just left. So the thread ID is used only if the tallies were the same before and
// after reading it: until they are replaced, only held goroutines run on their threads.
func (a *attribution) own() *tally {
	for before := a.tallies.Load(); len(*before) > 0; {
		thread := threadID()
		after := a.tallies.Load()
		if after == before {
			return (*before)[thread]
		}
		before = after
	}
	return nil
}

// read attributes a read of a table. It serves as engine.OpenConfig.Trace.
func (a *attribution) read(r engine.TableRead) {
	if t := a.own(); t != nil {
		t.Record(r.Component, r.Offset, r.Length)
		t.sinceGet++
		return
	}
	a.others.count[r.Component].Add(1)
	a.others.bytes[r.Component].Add(int64(r.Length))
}

// unattributed returns the reads so far that belong to no tally.
func (a *attribution) unattributed() (count, bytes readpath.PerComponent) {
	for c := range count {
		count[c], bytes[c] = a.others.count[c].Load(), a.others.bytes[c].Load()
	}
	return count, bytes
}
