package plan

import (
	"context"
	"time"

	"getio/engine"
	"getio/experiment/cell"
	"getio/experiment/reproduce"
	"getio/measure/database"
	"getio/record"
)

// Reproduction returns the plan of a reproduction of a published database. If the dataset is missing, each node makes
// it, and calibrate tells how fast this machine is; it is Calibrate, which tests replace.
func Reproduction(ctx context.Context, name string, p reproduce.Plan, calibrate func(context.Context, engine.Registry) (Calibration, error)) (*cell.Plan, error) {
	p.Name, p.Out, p.Fits = name, "", elsewhere
	left, err := p.Prepare()
	if err != nil {
		return nil, err
	}
	cells, err := p.Cells()
	if err != nil {
		return nil, err
	}
	d := cell.Dataset{Name: p.Name, Recipe: p.Recipe()}
	if left.Job == nil {
		there, err := database.Open(ctx, p.Engines, p.Dataset(), database.OpenOptions{})
		if err != nil {
			return nil, err
		}
		defer there.Close()
		planned, err := New(ctx, p.Engines, []*database.Database{there}, cells, nil)
		if err != nil {
			return nil, err
		}
		for _, c := range planned.Cells {
			getsOf[p.Name].addIdle(c.Predicted, c.Predicted.CPUSeconds)
		}
		return planned, nil
	}
	here, err := calibrate(ctx, p.Engines)
	if err != nil {
		return nil, err
	}
	d.Checksum = left.Job.Manifest.Checksum()
	for i := range cells {
		c := &cells[i]
		side := &c.Sides[0]
		side.Dataset, side.Engine, side.EngineVersion = d, left.Job.Engine.Name(), left.Job.Engine.Version()
		c.Predicted = here.predict(c, p.Name, left.Job.Manifest.Keys)
	}
	return cell.NewPlan(cells)
}

// What reproductions took on an AMD EPYC, in processor time: making the small database, and the runs in results. The
// calibration of that machine was not measured: a second machine ran both the small database and the calibration, and
// their ratio was applied to the first.
const (
	basis              = "runs of the same database on another machine, scaled by a short benchmark on this one when the plan was made"
	makingMicroseconds = 0.12 // a key of a virtual tree
	virtualBytesPerKey = 0.8  // on disk
	// onceSeconds is what each run takes besides its own Gets: opening the database, and the Gets without a cache that
	// split the accesses. It was measured with the small database, and hardly counts for the others.
	onceSeconds = 8
)

var reference = Calibration{Making: 76 * time.Millisecond, Get: 12_900 * time.Nanosecond}

// gets is what the Gets of a database cost.
type gets struct {
	microseconds float64 // each, in the middle: 29 to 44 of small, by cache, 37 to 90 of medium, 91 to 127 of large
	// busy is how many of two processors they keep busy. They wait for the locks of the cache's shards and, in a
	// database whose metadata do not fit in the page cache, for the device.
	busy float64
}

var getsOf = map[string]gets{"small": {36, 1.7}, "medium": {45, 1.3}, "large": {100, 1}}

// predict returns what a cell needs, with making its dataset, on the machine of the calibration.
func (here Calibration) predict(c *cell.Cell, name string, keys uint64) *record.CellNeeds {
	o, g := c.Workload, getsOf[name]
	making := makingMicroseconds / 1e6 * float64(keys) * float64(here.Making) / float64(reference.Making)
	var reading, cpu [2]float64
	for i, runs := range []int64{1, 1 + int64(o.MoreRuns)} {
		made := o.Warmup.Gets(int64(keys)) + runs*o.Gets
		reading[i] = (onceSeconds + g.microseconds/1e6*float64(made)) * float64(here.Get) / float64(reference.Get)
		cpu[i] = making + reading[i]
	}
	p := NewPrediction(cpu, o.Workers, c.CacheBytes, basis)
	g.addIdle(p, reading)
	p.DiskBytes = int64(virtualBytesPerKey * float64(keys))
	return p
}

// addIdle adds the time in which some processors are idle. reading is the processor time of Gets: a part of it is spent
// on one processor while the others wait. All processors make tables.
func (g gets) addIdle(p *record.CellNeeds, reading [2]float64) {
	alone := (2/g.busy - 1) * (1 - 1/float64(p.Processors))
	for i := range p.Hours {
		p.Hours[i] += reading[i] * alone / time.Hour.Seconds()
	}
}
