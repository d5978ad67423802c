// Package demo is the experiment of `getio demo`: one dataset, and the reads of a Get from it at
// several cache sizes.
package demo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"getio/engine/engines"
	"getio/experiment/benchpebble"
	"getio/experiment/cell"
	"getio/experiment/preparation"
	"getio/experiment/reproduce"
	"getio/experiment/sweep"
	"getio/load"
	"getio/measure/database"
	"getio/numbers/published"
	"getio/record"
	"getio/system/machine"
	"getio/workload"
)

// Options say what to show.
type Options struct {
	Dir     string // of the dataset and the records
	Keys    uint64 // of a tree of files; 0: the published database
	Workers int
}

// Tour is a dataset, the runs on it, and the text about them.
type Tour struct {
	Preparation             *preparation.Preparation
	Intro, Reading, Closing string // before the load, before the runs, and after them
	Records                 string // file
	Published               bool   // the runs have published figures
	Open                    func(context.Context) (*sweep.Sweep, error)
}

const question = "getio demo: what does one Get cost in file reads, and how does the cache change it?\n\n"

// New plans a tour. It writes nothing.
func New(o Options) (*Tour, error) {
	if o.Keys > 0 {
		return o.grown()
	}
	return o.published()
}

// The published tour has fewer Gets than the study, so that it takes about 80 seconds of processor time: about as many as show
// whether a run is steady.
const (
	publishedName = "small"
	publishedGets = 120_000
)

func (o *Options) published() (*Tour, error) {
	plan := &reproduce.Plan{
		Name: publishedName, Dir: o.Dir, Gets: publishedGets, Warmup: workload.AutoWarmup,
		Engines: engines.All(), Workers: o.Workers,
	}
	reads, err := published.Reads(publishedName)
	if err != nil {
		return nil, err
	}
	for _, r := range reads[:len(reads)-1] { // the largest reads as much as the one before
		if machine.FitsCache(r.CacheMiB<<20) == nil {
			plan.Caches = append(plan.Caches, r.CacheMiB<<20)
		}
	}
	left, err := plan.Prepare()
	if err != nil {
		return nil, err
	}
	dir := plan.Dataset()
	return &Tour{
		Preparation: left, Records: plan.Out, Published: true, Open: plan.Open,
		Intro: question + left.About(dir, "Making the published study's database of 200 million keys, the metadata of its tables only,\n"+
			"in "+dir+" ..."),
		Reading: fmt.Sprintf("Reading it through an unmodified Pebble v1.1.5, every read of a table counted and every Get checked:\n"+
			"%s Gets with each of %d cache sizes ...\n", humanize.Comma(plan.Gets), len(plan.Caches)),
		Closing: "Runs this short show the curve; 'getio reproduce small' makes as many Gets as the study.\n" +
			"For your own database: 'getio inspect DIR', then 'getio sweep DIR'. Any Pebble database will do; it is\n" +
			"only read.",
	}, nil
}

// mostGrownGets bounds the measured Gets with each cache: as many as the tree has keys, so that a small tree takes seconds.
const mostGrownGets = 100_000

func (o *Options) grown() (*Tour, error) {
	if err := preparation.RequireDirectory(o.Dir); err != nil {
		return nil, err
	}
	dir := filepath.Join(o.Dir, fmt.Sprintf("%d-keys", o.Keys))
	job, err := load.NewJob(engines.All(), dir, benchpebble.Dataset(o.Keys), preparation.ScaledOptions, o.Workers)
	if err != nil {
		return nil, err
	}
	left, err := preparation.Dataset(job, false)
	if err != nil {
		return nil, err
	}
	journal := record.Journal{Path: dir + ".jsonl", Runs: "cache sizes"}
	return &Tour{
		Preparation: left, Records: journal.Path,
		Intro: question + left.About(dir, fmt.Sprintf("Loading %s keys into %s through an unmodified Pebble v1, then letting it settle ...\n"+
			"(table, level and memtable sizes are scaled down, so that several levels and two-level\n"+
			"indexes exist at this size)", humanize.Comma(int64(o.Keys)), dir)),
		Reading: "Sweeping ten cache sizes, each after a fresh read-only open, every read of a table counted ...\n",
		Closing: "For your own database: 'getio inspect DIR', then 'getio sweep DIR'. Any Pebble database will do; it is only read.",
		Open:    func(ctx context.Context) (*sweep.Sweep, error) { return o.sweep(ctx, dir, journal) },
	}, nil
}

// sweep opens the grown tree for runs with the default caches that fit.
func (o *Options) sweep(ctx context.Context, dir string, journal record.Journal) (*sweep.Sweep, error) {
	done, err := journal.Results()
	if err != nil {
		return nil, err
	}
	d, err := database.Open(ctx, engines.All(), dir, database.OpenOptions{})
	if err != nil {
		return nil, err
	}
	bytes, err := d.SweepBytes(nil, machine.FitsCache)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	run := cell.Cell{Sides: make([]cell.Side, 1), Workload: workload.Workload{
		Keys: workload.Keys{Seed: 1}, Gets: int64(min(o.Keys, mostGrownGets)), Warmup: workload.AutoWarmup, Workers: o.Workers,
	}}
	s := sweep.New(d, sweep.Cells(run, bytes), nil)
	journal.Total = len(bytes)
	s.Journal, s.Done = journal, done
	return s, nil
}
