package plan

import (
	"context"

	"getio/experiment/cell"
	"getio/experiment/reproduce"
	"getio/measure"
	"getio/measure/database"
)

// Reproduction returns the plan of a reproduction of a published database. The dataset need not be here: each node makes it.
func Reproduction(ctx context.Context, name string, p reproduce.Plan) (*cell.Plan, error) {
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
		return New(ctx, p.Engines, []Source{{there, p.Dataset()}}, cells, nil)
	}
	d.Checksum = left.Job.Manifest.Checksum()
	for i := range cells {
		c := &cells[i]
		side := &c.Sides[0]
		side.Dataset, side.Engine, side.EngineVersion = d, left.Job.Engine.Name(), left.Job.Engine.Version()
		keys := float64(left.Job.Manifest.Keys)
		c.Predicted = NewPrediction(referenceTime(p.Name, keys, c.Workload.Options(), c.Workload.Gets), c.Workload.Workers, c.CacheBytes, reference)
		c.Predicted.DiskBytes = int64(virtualBytesPerKey * keys)
	}
	return cell.NewPlan(cells)
}

// Measured with two processors (results, docs/reproduction.md): processor time of a Get in
// microseconds, and of making a virtual tree and what it takes on disk, per key. Making and the small
// database took 0.12 and 36 on an AMD EPYC, and 0.14 and 46 on an Intel Xeon; the others ran on the EPYC alone.
const (
	reference          = "runs of the same database with two processors of an AMD EPYC or Intel Xeon, and making it there"
	makingMicroseconds = 0.13
	virtualBytesPerKey = 0.8
)

var getMicroseconds = map[string]float64{"small": 41, "medium": 45, "large": 100}

// referenceTime returns processor seconds of a run, at least and at most, with making its dataset.
func referenceTime(name string, keys float64, o measure.Options, gets int64) [2]float64 {
	making := makingMicroseconds * keys
	run := func(runs int) float64 {
		made := float64(o.Warmup.Gets(int64(keys)) + int64(runs)*gets)
		return (making + getMicroseconds[name]*made) / 1e6
	}
	return [2]float64{run(1), run(1 + o.MoreRuns)}
}
