// Package plan divides an experiment into cells, and runs cells of a plan on this machine. Before a
// cell runs, package preparation makes its dataset if it is missing and the plan says how; another
// dataset of the same name is refused.
package plan

import (
	"context"
	"fmt"
	"slices"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/experiment/cell"
	"getio/experiment/sweep"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/system/filesystem"
	"getio/system/machine"
	"getio/workload"
	"getio/workload/trace"
)

// New completes cells that lack their datasets and what is predicted, and returns a plan of them.
// databases are those of their sides; trace is the one that they name, if any.
func New(ctx context.Context, engines engine.Registry, databases []*database.Database, cells []cell.Cell, trace *trace.File) (*cell.Plan, error) {
	datasets, disk, err := describe(engines, databases)
	if err != nil {
		return nil, err
	}
	for i := range cells {
		c := &cells[i]
		if i > 0 && cells[i-1].CacheBytes == c.CacheBytes { // another round
			c.Sides, c.Predicted = cells[i-1].Sides, cells[i-1].Predicted
			continue
		}
		if err := completeSides(c, databases, datasets); err != nil {
			return nil, err
		}
		if c.Predicted, err = predict(ctx, c, databases, trace); err != nil {
			return nil, err
		}
		c.Predicted.DiskBytes = disk
	}
	return cell.NewPlan(cells)
}

// describe returns the datasets of databases, and the space that they take on disk.
func describe(engines engine.Registry, databases []*database.Database) (datasets []cell.Dataset, disk int64, err error) {
	for _, of := range databases {
		d, err := cell.Describe(of, engines)
		if err != nil {
			return nil, 0, err
		}
		known := false
		for i, other := range datasets {
			if known = known || d.Identity == other.Identity; d.Name == other.Name && d.Identity != other.Identity {
				return nil, 0, fmt.Errorf("%s and %s have the same name, by which a plan tells datasets apart: rename one", databases[i].Named, of.Named)
			}
		}
		datasets = append(datasets, d)
		if known {
			continue
		}
		bytes, err := filesystem.Allocated(of.Dir)
		if err != nil {
			return nil, 0, err
		}
		disk += bytes
	}
	return datasets, disk, nil
}

// completeSides sets the datasets, engines and shards of a cell's sides.
func completeSides(c *cell.Cell, databases []*database.Database, datasets []cell.Dataset) error {
	c.Sides = slices.Clone(c.Sides) // cells share them
	for i, d := range databases {
		side, info := &c.Sides[i], d.Info()
		side.Dataset, side.Engine, side.EngineVersion = datasets[i], info.Engine, info.Version
		if err := fixShards(d, c.Open(i, nil), side); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere accepts all caches: another machine may have the memory.
func elsewhere(int64) error { return nil }

// Swept is the database of a sweep, and the caches.
type Swept struct {
	Dir    string
	Out    string // file of the plan
	Choice database.OpenOptions
	Caches []lsm.CacheSize // none: the default ones
}

// Sweep returns the plan of a sweep, of cells that share everything but their caches. trace is the one that
// they name, if any.
func Sweep(ctx context.Context, engines engine.Registry, of Swept, like cell.Cell, trace *trace.File) (*cell.Plan, error) {
	d, err := database.Open(ctx, engines, of.Dir, of.Choice)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.RequireOutside(of.Out, "--out"); err != nil {
		return nil, err
	}
	bytes, err := d.SweepBytes(of.Caches, elsewhere)
	if err != nil {
		return nil, err
	}
	return New(ctx, engines, []*database.Database{d}, sweep.Cells(like, bytes), trace)
}

// fixShards sets the number of shards that the library chooses here: elsewhere it may choose another.
func fixShards(d *database.Database, open engine.OpenConfig, side *cell.Side) error {
	if open.Shards > 0 {
		return nil
	}
	db, err := d.Store.Open(open)
	if err != nil {
		return err
	}
	side.Shards = db.Cache().Shards
	return db.Close()
}

// predict returns what a cell is expected to need, but for disk space.
func predict(ctx context.Context, c *cell.Cell, databases []*database.Database, trace *trace.File) (*record.CellNeeds, error) {
	var cpu [2]float64
	var waiting time.Duration
	memory := int64(0)
	for i, d := range databases {
		s := measure.Sweep{Database: d, Options: c.Options(), Trace: trace, Caches: []engine.OpenConfig{c.Open(i, c.Device.Layer())}}
		runs, err := s.Expected(ctx)
		if err != nil {
			return nil, err
		}
		waiting += runs[0].Waiting
		if c.Rounds > 0 && c.Workload.Warmup == workload.AutoWarmup { // a run before the round tells how long it is
			s.Gets = 1
			before, err := s.Expected(ctx)
			if err != nil {
				return nil, err
			}
			runs = append(runs, before...)
		}
		for _, r := range runs {
			cpu[0] += r.Least.Seconds()
			cpu[1] += r.Most.Seconds()
		}
		if d.Manifest == nil {
			memory = keysMemory
		}
	}
	p := NewPrediction(cpu, c.Workload.Workers, c.CacheBytes, "a part of each run, made when the plan was")
	p.MemoryBytes += memory
	for i := range p.Hours {
		p.Hours[i] = max(p.Hours[i], waiting.Hours())
	}
	return p, nil
}

// What a process takes besides its cache: measured with 300k to 200M keys, and with keys that are drawn from
// the tables.
const (
	processMemory = 80 << 20
	keysMemory    = 60 << 20
)

// NewPrediction returns what a cell needs of a machine like this one, but for disk space.
func NewPrediction(cpuSeconds [2]float64, workers int, cacheBytes int64, basis string) *record.CellNeeds {
	busy := measure.Concurrency(workers)
	p := &record.CellNeeds{CPUSeconds: cpuSeconds, Processors: busy, MemoryBytes: machine.CacheMemory(cacheBytes) + processMemory, Basis: basis}
	for i, s := range cpuSeconds {
		p.Hours[i] = s / float64(busy) / time.Hour.Seconds()
	}
	return p
}
