package probe

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"getio/engine/readpath"
)

// differences holds how much was compared and the largest differences between outside and
// inside, by figure.
type differences struct {
	*testing.T
	figures map[string]*figure
}

type figure struct {
	compared readpath.PerComponent // sums of the inside counts
	most     float64               // largest difference as a share of the inside count
}

// note adds a comparison and returns the difference as a share of the inside count,
// infinite if that is zero.
func (d *differences) note(name string, c readpath.Component, outside, inside int64) (off float64) {
	f := d.figures[name]
	if f == nil {
		f = &figure{}
		d.figures[name] = f
	}
	switch diff := max(outside-inside, inside-outside); {
	case inside != 0:
		off = float64(diff) / float64(inside)
	case diff != 0:
		off = math.Inf(1)
	}
	f.compared[c] += inside
	f.most = max(f.most, off)
	return off
}

func (d *differences) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.figures)) {
		f := d.figures[name]
		fmt.Fprintf(&b, "%s: %.4f%%; compared, of %v: %d\n", name, 100*f.most, readpath.Components(), f.compared)
	}
	return b.String()
}
