// Package reproduce makes the published study's runs on one of its databases again.
package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/experiment/cell"
	"getio/experiment/preparation"
	"getio/experiment/sweep"
	"getio/load"
	"getio/load/growth"
	"getio/measure/database"
	"getio/numbers/published"
	"getio/record"
	"getio/system/machine"
	"getio/workload"
	"getio/workload/dataset"
)

// Plan is a reproduction. Prepare replaces zero values by the study's.
type Plan struct {
	Name   string  // of the published database: small, medium or large
	Dir    string  // of datasets and records
	Real   bool    // write complete tables, not only their metadata
	Caches []int64 // sizes in bytes; none: the published ones that fit
	Gets   int64
	Warmup workload.Warmup
	// Fits refuses a cache that does not fit in memory; nil checks this machine's memory.
	Fits func(bytes int64) error
	// MoreRuns is how many runs may follow one that is not steady.
	MoreRuns int
	Out      string // file of the records; by default beside the dataset
	Engines  engine.Registry
	Workers  int // of the load

	// LeftOut has a sentence for each published cache that does not fit.
	LeftOut []string
}

// FurtherRuns is how many runs follow one that is not steady in a complete reproduction.
const FurtherRuns = 3

// CheckName refuses arguments that are not the name of one published database.
func CheckName(args []string) error {
	switch {
	case len(args) != 1:
		return fmt.Errorf("reproduce needs one published database, not %d: small, medium or large", len(args))
	case !slices.Contains(growth.Names, args[0]):
		return fmt.Errorf("unknown published database %q: use small, medium or large", args[0])
	}
	return nil
}

// Dataset is the directory of the dataset. Real and virtual ones do not mix.
func (p *Plan) Dataset() string {
	if p.Real {
		return filepath.Join(p.Dir, p.Name+"-real")
	}
	return filepath.Join(p.Dir, p.Name)
}

// Prepare completes the plan and finds out what is left to be done for the dataset. It writes
// nothing.
func (p *Plan) Prepare() (*preparation.Preparation, error) {
	if err := p.complete(); err != nil {
		return nil, err
	}
	if err := preparation.RequireDirectory(p.Dir); err != nil {
		return nil, err
	}
	job, err := p.Recipe().Job(p.Engines, p.Dataset(), p.Workers)
	if err != nil {
		return nil, err
	}
	left, err := preparation.Dataset(job, false)
	if err == nil && p.Real && left.Fresh {
		err = preparation.RequireSpace(job)
	}
	return left, err
}

// Recipe makes the dataset.
func (p *Plan) Recipe() *cell.Recipe {
	r := &cell.Recipe{Shape: p.Name, Values: dataset.ValuesPool32, ValueSize: 110, Seed: 1, Build: dataset.BuildVirtual, Engine: load.DefaultEngine}
	if p.Real {
		r.Build = dataset.BuildShaped
	}
	return r
}

// Open opens the dataset and returns the sweep of all caches, with the published figures in
// its results. The caller closes the sweep's database.
func (p *Plan) Open(ctx context.Context) (*sweep.Sweep, error) {
	cells, err := p.Cells()
	if err != nil {
		return nil, err
	}
	addPublished, err := AddPublished(p.Name)
	if err != nil {
		return nil, err
	}
	journal := record.Journal{Path: p.Out, Runs: "cache sizes", Total: len(p.Caches)}
	done, err := journal.Results()
	if err != nil {
		return nil, err
	}
	d, err := database.Open(ctx, p.Engines, p.Dataset(), database.OpenOptions{})
	if err != nil {
		return nil, err
	}
	if err := d.RequireOutside(p.Out, "--out"); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	s := sweep.New(d, cells, nil)
	s.Journal, s.Done, s.Complete = journal, done, addPublished
	return s, nil
}

// Cells returns the runs as cells, without their dataset. Prepare has completed the plan.
func (p *Plan) Cells() (cells []cell.Cell, err error) {
	for _, bytes := range p.Caches {
		protocol, err := published.ProtocolFor(bytes)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell.Cell{
			Experiment: cell.Reproduce, CacheBytes: bytes, Sides: []cell.Side{{Shards: protocol.Shards}},
			Workload: workload.Workload{
				Keys: workload.Keys{Seed: 1}, Gets: p.Gets, Warmup: p.Warmup, MoreRuns: p.MoreRuns, Workers: protocol.Threads,
			},
		})
	}
	return cells, nil
}

// AddPublished returns a function that adds the published figure of the same run to a result.
func AddPublished(name string) (func(*record.Result), error) {
	reads, err := published.Reads(name)
	if err != nil {
		return nil, err
	}
	return func(r *record.Result) {
		i := slices.IndexFunc(reads, func(read published.Read) bool { return read.CacheMiB<<20 == r.Cache.Bytes })
		if i >= 0 {
			r.Published = &reads[i]
		}
	}, nil
}

// complete replaces zero values by the study's.
func (p *Plan) complete() error {
	if err := p.chooseCaches(); err != nil {
		return err
	}
	protocol, err := published.ProtocolFor(p.Caches[0])
	if err != nil {
		return err
	}
	p.Gets = cmp.Or(p.Gets, protocol.Gets)
	p.Warmup = cmp.Or(p.Warmup, workload.WarmupOneIn(protocol.KeysPerWarmupGet))
	if p.Out == "" {
		p.Out = p.Dataset() + ".jsonl" // whose directory may not exist yet
		return nil
	}
	_, err = (&record.Journal{Path: p.Out}).Results()
	return err
}

// chooseCaches refuses named sizes that do not fit, and leaves such published ones out.
func (p *Plan) chooseCaches() error {
	fits := p.Fits
	if fits == nil {
		fits = machine.FitsCache
	}
	for _, bytes := range p.Caches {
		if err := fits(bytes); err != nil {
			return err
		}
	}
	if len(p.Caches) == 0 {
		reads, err := published.Reads(p.Name)
		if err != nil {
			return err
		}
		var refused error
		for _, r := range reads {
			if refused = fits(r.CacheMiB << 20); refused != nil {
				p.LeftOut = append(p.LeftOut, fmt.Sprintf("%s MiB is left out: %v.", humanize.Comma(r.CacheMiB), refused))
				continue
			}
			p.Caches = append(p.Caches, r.CacheMiB<<20)
		}
		if len(p.Caches) == 0 {
			return refused
		}
	}
	slices.Sort(p.Caches)
	p.Caches = slices.Compact(p.Caches)
	return nil
}
