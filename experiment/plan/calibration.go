package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"getio/engine"
	"getio/experiment/cell"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/system/cputime"
	"getio/system/tempdir"
	"getio/workload"
	"getio/workload/dataset"
)

// Calibration is the processor time that a small, fixed part of what a reproduction does takes on a machine.
type Calibration struct {
	Making time.Duration // of a virtual tree of 500,000 keys
	Get    time.Duration // of a Get in that tree, at 1.7 I/Os per Get
}

// The work of a calibration. The cache holds filters and top indexes and few other blocks, as in a run at IP1.
// It takes 1 to 2 s of processor time.
const (
	calibrationKeys   = 500_000
	calibrationMakes  = 3
	calibrationCache  = 1 << 20
	calibrationShards = 4  // as in the study
	calibrationReads  = 64 // workers, as in the study
	calibrationRuns   = 5
	calibrationWarmup = 2_000
	calibrationGets   = 5_000
	calibrationPrefix = "getio-calibration-"
)

// Calibrate makes a small virtual tree in a temporary directory, several times, and measures Gets in it. It returns
// the least times, which other work on the machine changes less than the medians.
func Calibrate(ctx context.Context, engines engine.Registry) (c Calibration, err error) {
	defer func() {
		switch {
		case err == nil:
		case ctx.Err() != nil: // nothing is left that could be resumed
			err = ctx.Err()
		default:
			err = fmt.Errorf("cannot measure how fast this machine is in %s: %w; set TMPDIR to another directory if this one cannot be used", os.TempDir(), err)
		}
	}()
	if _, err := tempdir.RemoveAbandoned(os.TempDir(), calibrationPrefix); err != nil {
		return c, err
	}
	temp, err := tempdir.New(os.TempDir(), calibrationPrefix)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()
	var dir string
	var makes []time.Duration
	for i := range calibrationMakes {
		dir = filepath.Join(temp.Path, strconv.Itoa(i))
		took, err := calibrateMaking(ctx, engines, dir)
		if err != nil {
			return c, err
		}
		makes = append(makes, took)
	}
	gets, err := calibrateGets(ctx, engines, dir)
	if err != nil {
		return c, err
	}
	return Calibration{Making: slices.Min(makes), Get: slices.Min(gets)}, nil
}

// calibrateMaking makes the tree and returns the processor time that it took.
func calibrateMaking(ctx context.Context, engines engine.Registry, dir string) (time.Duration, error) {
	r := cell.Recipe{
		Keys: calibrationKeys, Values: dataset.ValuesPool32, ValueSize: 110, Seed: 1, Build: dataset.BuildVirtual, Engine: load.DefaultEngine,
	}
	spent := cputime.StartTimer()
	job, err := r.Job(engines, dir, measure.Concurrency(calibrationReads))
	if err == nil {
		err = job.New(ctx)
	}
	return spent().CPU, err
}

// calibrateGets returns the processor time of a Get in several runs.
func calibrateGets(ctx context.Context, engines engine.Registry, dir string) (each []time.Duration, err error) {
	d, err := database.Open(ctx, engines, dir, database.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for range calibrationRuns {
		s := measure.Sweep{Database: d, Options: measure.Options{
			Workload: workload.Workload{
				Keys: workload.Keys{Seed: 1}, Gets: calibrationGets, Warmup: workload.WarmupGets(calibrationWarmup), Workers: calibrationReads,
			},
			Counted: measure.Counted{NoSplit: true},
		}}
		r, err := s.One(ctx, engine.OpenConfig{CacheBytes: calibrationCache, Shards: calibrationShards})
		if err != nil {
			return nil, err
		}
		if err := r.Checks.Err(); err != nil {
			return nil, err
		}
		each = append(each, time.Duration(r.CPUusPerGet*float64(time.Microsecond)))
	}
	return each, nil
}
