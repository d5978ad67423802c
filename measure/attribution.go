package measure

import (
	"maps"
	"runtime"
	"sync"
	"sync/atomic"

	"getio/engine"
	"getio/tree/readpath"
)

// attribution tells the reads of tables that Gets make from all others, and whose
// they are. A library reads on the goroutine that asks it, so the thread that a
// goroutine is held to says whose read it is. It is safe for concurrent use; a read
// is attributed without a lock and without an allocation.
type attribution struct {
	tallies atomic.Pointer[map[int]*tally] // by thread; replaced, never changed
	change  sync.Mutex                     // held to replace it
	others  strayReads
}

// tally is what one goroutine read. Only that goroutine writes it, and only while
// it is held to its thread; others read it when it is not.
type tally struct {
	count, bytes readpath.PerComponent
	sinceGet     int // reads since nextGet
}

// nextGet returns the reads since the call before.
func (t *tally) nextGet() int {
	n := t.sinceGet
	t.sinceGet = 0
	return n
}

// strayReads are those of threads that nobody is held to.
type strayReads struct {
	count, bytes [readpath.NumComponents]atomic.Int64
}

func newAttribution() *attribution {
	a := &attribution{}
	a.tallies.Store(&map[int]*tally{})
	return a
}

// hold holds the goroutine to its thread, and counts the reads of tables that it
// makes from now on in t, until it calls release.
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

// own is the tally of the goroutine that calls it; nil if it is not held.
//
// A goroutine that is not held may go on on another thread at any moment: on one that
// somebody was held to when the tallies were looked up, or is when they are. So the thread
// only counts if the tallies were the same before and after it was asked for: until
// they are replaced, nobody but those that are held runs on their threads.
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

// read attributes a read of a table; it is an engine.OpenConfig's Trace.
func (a *attribution) read(r engine.TableRead) {
	if t := a.own(); t != nil {
		t.count[r.Component]++
		t.bytes[r.Component] += int64(r.Length)
		t.sinceGet++
		return
	}
	a.others.count[r.Component].Add(1)
	a.others.bytes[r.Component].Add(int64(r.Length))
}

// strays are the reads so far that no tally has.
func (a *attribution) strays() (count, bytes readpath.PerComponent) {
	for c := range count {
		count[c], bytes[c] = a.others.count[c].Load(), a.others.bytes[c].Load()
	}
	return count, bytes
}
