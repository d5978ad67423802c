package groundtruth

import (
	"fmt"
	"testing"

	"getio/tree/readpath"
)

// How far off the split of index from data accesses may be when it is taken from a sample,
// as measure does: the run's first Gets made again without a cache. A table that is probed
// past its filter costs one data block, and a second one if the key lies between a block's
// last key and that block's separator in the index (v1: singleLevelIterator.skipForward).
// Only keys that the table does not hold lie there: the false positives of filters and, as
// the last level's filters are not consulted, all absent keys.
const (
	splitOff       = 0.0005 // all keys exist
	splitOffAbsent = 0.005  // half of the keys are absent
)

// compare compares the two sides of every window of a tree.
func (d *differences) compare(t *testing.T, r *Report) {
	exact := map[string]readpath.PerComponent{} // reads without a cache
	samples := map[string]readpath.Accesses{}   // by keys
	for _, w := range r.Windows {
		if w.CacheBytes != 0 || w.Workers != 1 {
			continue
		}
		exact[w.sameGets()] = w.Outside.Reads
		if w.Part == 0 {
			samples[w.Keys] = readpath.Accesses{Count: w.Outside.Reads, Probed: w.Outside.Probed, SplitExact: true}
		}
	}
	var run Window // the sum of a run's windows so far
	for i, w := range r.Windows {
		d.compareWindow(t, w)
		reads, ok := exact[w.sameGets()]
		if !ok {
			t.Fatalf("%v: there is no run without a cache", w)
		}
		// TableOpen is left out: which tables are open does not depend on the Gets alone.
		for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data, readpath.Other} {
			d.equal(t, w, "accesses, as reads at cache 0", c, reads[c], w.Inside.Accesses[c])
		}
		if w.Part == 0 {
			run = w
		} else {
			run.Outside.Accesses = run.Outside.Accesses.Add(w.Outside.Accesses)
			run.Outside.Probed += w.Outside.Probed
			run.Inside.Accesses = run.Inside.Accesses.Add(w.Inside.Accesses)
		}
		if i+1 == len(r.Windows) || r.Windows[i+1].Part == 0 {
			d.compareSplit(t, run, samples[run.Keys])
		}
	}
	if d.inside.SharedLoads == 0 && r.Engine == "pebblev2" {
		t.Error("no Gets shared a load, so the test proves nothing about shared loads")
	}
}

func (d *differences) compareWindow(t *testing.T, w Window) {
	out, in := w.Outside, w.Inside
	for _, failed := range w.FailedChecks {
		t.Errorf("%v: self-check failed: %s", w, failed)
	}
	for _, c := range readpath.Components() {
		d.equal(t, w, "reads", c, out.Reads[c], in.Reads[c])
	}
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.TableOpen, readpath.Other} {
		d.equal(t, w, "accesses", c, out.Accesses[c], in.Accesses[c])
	}
	same := func(what string, outside, inside int64) {
		if outside != inside {
			t.Errorf("%v: %s: %d outside, %d inside", w, what, outside, inside)
		}
	}
	same("index and data accesses", out.Accesses[readpath.Index]+out.Accesses[readpath.Data],
		in.Accesses[readpath.Index]+in.Accesses[readpath.Data])
	same("footers", out.Footers, in.Footers)
	same("block cache hits", out.BlockCacheHits, in.BlockCacheHits)
	same("block cache misses", out.BlockCacheMisses, in.BlockCacheMisses)
	same("shared loads", out.SharedLoads, in.SharedLoads)
	same("blocks asked for by functions without counters", 0, in.Accesses[readpath.Other])
	d.add(w)

	// Where no load is shared, misses are reads, component by component.
	if in.SharedLoads > 0 {
		return
	}
	misses := out.Reads
	misses[readpath.TableOpen] -= out.Footers
	for _, c := range readpath.Components() {
		d.equal(t, w, "misses, none shared", c, misses[c], in.Misses[c])
	}
}

// compareSplit compares the index and data accesses of a run. They are split like the
// sample's unless the engine reports an exact split.
func (d *differences) compareSplit(t *testing.T, run Window, sample readpath.Accesses) {
	figure, limit := "accesses", 0.0
	if !run.Outside.SplitExact {
		switch run.Keys {
		case "present":
			figure, limit = "split, keys that exist", splitOff
		case "mixed":
			figure, limit = "split, half of the keys absent", splitOffAbsent
		default:
			t.Fatalf("%v: unknown keys", run)
		}
	}
	ours := readpath.Accesses{Count: run.Outside.Accesses, Probed: run.Outside.Probed, SplitExact: run.Outside.SplitExact}
	ours = ours.SplitLike(sample)
	for _, c := range []readpath.Component{readpath.Index, readpath.Data} {
		outside, inside := ours.Count[c], run.Inside.Accesses[c]
		if off := d.note(figure, c, outside, inside); off > limit {
			t.Errorf("%v: %s accesses: %d outside, %d inside, %.3f%% apart", run, c, outside, inside, 100*off)
		}
	}
}

// equal fails the test unless outside is inside.
func (d *differences) equal(t *testing.T, w Window, figure string, c readpath.Component, outside, inside int64) {
	if d.note(figure, c, outside, inside) != 0 {
		t.Errorf("%v: %s %s: %d outside, %d inside", w, c, figure, outside, inside)
	}
}

// sameGets identifies the Gets of a window.
func (w Window) sameGets() string { return fmt.Sprintf("%s, part %d", w.Keys, w.Part) }

func (w Window) String() string {
	return fmt.Sprintf("%s of %d Gets, %d workers, cache of %d bytes, open files %d", w.sameGets(), w.Gets, w.Workers, w.CacheBytes, w.OpenFiles)
}
