package probe

import (
	"fmt"
	"testing"

	"getio/engine/readpath"
)

// How far off the split of index from data accesses may be when it is taken from a sample,
// as measure does: the run's first Gets made again without a cache. A table that is probed
// past its filter costs one data block, and a second one if the key lies between a block's
// last key and that block's separator in the index (v1: singleLevelIterator.skipForward).
// Only keys that the table does not hold lie there: the false positives of filters and, as
// the last level's filters are not consulted, all absent keys.
var splitOff = map[string]float64{
	"present": 0.0005,
	"mixed":   0.005, // half of the keys are absent
}

// compare compares the two sides of every window of a tree.
func compare(t *testing.T, windows []window, sharesLoads bool) {
	d := &differences{T: t, figures: map[string]*figure{}}
	exact := map[string]readpath.PerComponent{} // reads without a cache
	samples := map[string]readpath.Accesses{}   // by keys
	for _, w := range windows {
		if w.cache != 0 || w.workers != 1 {
			continue
		}
		exact[w.sameGets()] = w.outside.Reads.Count
		if w.part == 0 {
			samples[w.keys] = readpath.Accesses{Count: w.outside.Reads.Count, Probed: w.outside.Accesses.Probed, SplitExact: true}
		}
	}
	var run window // the sum of a run's windows so far
	var shared int64
	for i, w := range windows {
		d.compareWindow(w)
		shared += w.inside.sharedLoads
		reads, ok := exact[w.sameGets()]
		if !ok {
			t.Fatalf("%v: there is no run without a cache", w)
		}
		// TableOpen is left out: which tables are open does not depend on the Gets alone.
		for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data, readpath.Other} {
			d.equal(w, "accesses, as reads at cache 0", c, reads[c], w.inside.accesses[c])
		}
		if w.part == 0 {
			run = w
		} else {
			run.outside.Accesses.Count = run.outside.Accesses.Count.Add(w.outside.Accesses.Count)
			run.outside.Accesses.Probed += w.outside.Accesses.Probed
			run.inside.accesses = run.inside.accesses.Add(w.inside.accesses)
		}
		if i+1 == len(windows) || windows[i+1].part == 0 {
			d.compareSplit(run, samples[run.keys])
		}
	}
	if shared == 0 && sharesLoads {
		t.Error("no Gets shared a load, so the test proves nothing about shared loads")
	}
	t.Logf("%d shared loads; largest differences between outside and inside:\n%s", shared, d)
}

func (d *differences) compareWindow(w window) {
	out, in := w.outside, w.inside
	for _, c := range w.checks {
		if !c.OK {
			d.Errorf("%v: self-check failed: %s: %s", w, c.Name, c.Detail)
		}
	}
	reads, accesses := out.Reads.Count, out.Accesses.Count
	for _, c := range readpath.Components() {
		d.equal(w, "reads", c, reads[c], in.reads[c])
	}
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.TableOpen, readpath.Other} {
		d.equal(w, "accesses", c, accesses[c], in.accesses[c])
	}
	same := func(what string, outside, inside int64) {
		if outside != inside {
			d.Errorf("%v: %s: %d outside, %d inside", w, what, outside, inside)
		}
	}
	same("index and data accesses", accesses[readpath.Index]+accesses[readpath.Data], in.accesses[readpath.Index]+in.accesses[readpath.Data])
	same("footers", out.Reads.Footers, in.footers)
	same("block cache hits", out.BlockCacheHits, in.hits)
	same("block cache misses", out.BlockCacheMisses, in.missed)
	sharedOutside := int64(0)
	if out.SharedLoads != nil {
		sharedOutside = *out.SharedLoads
	}
	same("shared loads", sharedOutside, in.sharedLoads)
	same("blocks asked for by functions without counters", 0, in.accesses[readpath.Other])

	// Where no load is shared, misses are reads, component by component.
	if in.sharedLoads > 0 {
		return
	}
	reads[readpath.TableOpen] -= out.Reads.Footers
	for _, c := range readpath.Components() {
		d.equal(w, "misses, none shared", c, reads[c], in.misses[c])
	}
}

// compareSplit compares the index and data accesses of a run. They are split like the
// sample's unless the engine reports an exact split.
func (d *differences) compareSplit(run window, sample readpath.Accesses) {
	name, limit := "accesses", 0.0
	if !run.outside.Accesses.SplitExact {
		name, limit = "split, "+run.keys, splitOff[run.keys]
	}
	ours := run.outside.Accesses.SplitLike(sample)
	for _, c := range []readpath.Component{readpath.Index, readpath.Data} {
		outside, inside := ours.Count[c], run.inside.accesses[c]
		if off := d.note(name, c, outside, inside); off > limit {
			d.Errorf("%v: %s accesses: %d outside, %d inside, %.3f%% apart", run, c, outside, inside, 100*off)
		}
	}
}

// equal fails the test unless outside is inside.
func (d *differences) equal(w window, name string, c readpath.Component, outside, inside int64) {
	if d.note(name, c, outside, inside) != 0 {
		d.Errorf("%v: %s %s: %d outside, %d inside", w, c, name, outside, inside)
	}
}

// sameGets identifies the Gets of a window.
func (w window) sameGets() string { return fmt.Sprintf("%s, part %d", w.keys, w.part) }

func (w window) String() string {
	return fmt.Sprintf("%s of %d Gets, %d workers, cache of %d bytes, open files %d", w.sameGets(), w.gets, w.workers, w.cache, w.openFiles)
}
