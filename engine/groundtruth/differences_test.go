package groundtruth

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"getio/tree/readpath"
)

// differences holds the largest differences between outside and inside, by figure and
// component, and how much was compared.
type differences struct {
	figures map[string]*figure

	gets            int64
	outside, inside Figures // sums of the figures without components
}

type figure [readpath.NumComponents]struct {
	compared int64   // sum of the inside counts
	most     int64   // largest difference
	mostPart float64 // largest difference as a share of the inside count
}

// note adds a comparison and returns the difference as a share of the inside count,
// infinite if that is zero.
func (d *differences) note(name string, c readpath.Component, outside, inside int64) (off float64) {
	f := d.figures[name]
	if f == nil {
		f = new(figure)
		if d.figures == nil {
			d.figures = map[string]*figure{}
		}
		d.figures[name] = f
	}
	diff := max(outside-inside, inside-outside)
	switch {
	case inside != 0:
		off = float64(diff) / float64(inside)
	case diff != 0:
		off = math.Inf(1)
	}
	f[c].compared += inside
	f[c].most = max(f[c].most, diff)
	f[c].mostPart = max(f[c].mostPart, off)
	return off
}

// add sums the figures of a window that have no components.
func (d *differences) add(w Window) {
	d.gets += w.Gets
	sum := func(s *Figures, f Figures) {
		s.Footers += f.Footers
		s.BlockCacheHits += f.BlockCacheHits
		s.BlockCacheMisses += f.BlockCacheMisses
		s.SharedLoads += f.SharedLoads
	}
	sum(&d.outside, w.Outside)
	sum(&d.inside, w.Inside)
}

// String returns a table of the largest difference of a window (of a run, for the split)
// and the sum compared, by figure and component.
func (d *differences) String() string {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "figure\t")
	for _, c := range readpath.Components() {
		fmt.Fprintf(tw, "%s\t", c)
	}
	for _, name := range slices.Sorted(maps.Keys(d.figures)) {
		most, compared := "\n"+name+"\t", "\ncompared\t"
		for _, f := range d.figures[name] {
			cell := fmt.Sprint(f.most)
			if f.most != 0 {
				cell += fmt.Sprintf(" (%.4f%%)", 100*f.mostPart)
			}
			most += cell + "\t"
			compared += fmt.Sprintf("%d\t", f.compared)
		}
		fmt.Fprint(tw, most, compared)
	}
	fmt.Fprintln(tw)
	tw.Flush()
	fmt.Fprintf(&b, "%d Gets; outside and inside: %d and %d block cache hits, %d and %d misses, %d and %d footers, %d and %d shared loads",
		d.gets,
		d.outside.BlockCacheHits, d.inside.BlockCacheHits, d.outside.BlockCacheMisses, d.inside.BlockCacheMisses,
		d.outside.Footers, d.inside.Footers, d.outside.SharedLoads, d.inside.SharedLoads)
	return b.String()
}
