package sweep

import (
	"getio/experiment/cell"
	"getio/measure"
	"getio/measure/database"
	"getio/workload/trace"
)

// Cells returns the cells of a sweep: like, at each of the cache sizes.
func Cells(like cell.Cell, bytes []int64) (cells []cell.Cell) {
	for _, n := range bytes {
		c := like
		c.CacheBytes = n
		cells = append(cells, c)
	}
	return cells
}

// New returns the sweep that runs cells of one experiment, all of them or some. trace is the one that
// they name, if any.
func New(d *database.Database, cells []cell.Cell, trace *trace.File) *Sweep {
	first := &cells[0]
	s := &Sweep{Sweep: measure.Sweep{Database: d, Options: first.Options(), Trace: trace}}
	layer := first.Device.Layer()
	for _, c := range cells {
		s.Caches = append(s.Caches, c.Open(0, layer))
	}
	return s
}
