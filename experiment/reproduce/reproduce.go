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

	"getio/dataset"
	"getio/engine"
	"getio/experiment/prepare"
	"getio/experiment/sweep"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/workload"
	"getio/record"
	"getio/system/machine"
	"getio/tree/growth"
	"getio/tree/lsm"
	"getio/tree/published"
)

// Plan is a reproduction. Prepare replaces zero values by the study's.
type Plan struct {
	Name   string  // of the published database: small, medium or large
	Dir    string  // of datasets and records
	Real   bool    // write complete tables, not only their metadata
	Caches []int64 // sizes in bytes; none: the published ones that fit
	Gets   int64
	Warmup measure.Warmup
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

// Dataset is the directory of the dataset. Real and virtual ones do not mix.
func (p *Plan) Dataset() string {
	if p.Real {
		return filepath.Join(p.Dir, p.Name+"-real")
	}
	return filepath.Join(p.Dir, p.Name)
}

// Prepare completes the plan and finds out what is left to be done for the dataset. It writes
// nothing.
func (p *Plan) Prepare() (*prepare.Preparation, error) {
	if err := p.complete(); err != nil {
		return nil, err
	}
	if err := prepare.RequireDirectory(p.Dir); err != nil {
		return nil, err
	}
	m := &dataset.Manifest{Values: dataset.ValuesPool32, ValueSize: 110, Seed: 1, Build: dataset.BuildVirtual}
	if p.Real {
		m.Build = dataset.BuildShaped
	}
	job, err := load.NewTreeJob(p.Engines, p.Dataset(), m, nil, p.Workers, func(map[string]string) (*lsm.Shape, error) {
		return growth.Published(p.Name, m.Seed)
	})
	if err != nil {
		return nil, err
	}
	left, err := prepare.Dataset(job)
	if err == nil && p.Real && left.Fresh() {
		err = prepare.RequireSpace(job)
	}
	return left, err
}

// Open opens the dataset and returns the sweep of all caches, with the published figures in
// its results. The caller closes the sweep's database.
func (p *Plan) Open(ctx context.Context) (*sweep.Sweep, error) {
	reads, err := published.Reads(p.Name)
	if err != nil {
		return nil, err
	}
	s := &sweep.Sweep{
		Sweep: measure.Sweep{
			Keys:    database.KeySource{Random: workload.Random{Seed: 1}},
			Options: measure.Options{Gets: p.Gets, Warmup: p.Warmup, MoreRuns: p.MoreRuns},
		},
		Journal: record.Journal{Path: p.Out, Runs: "sizes", Total: len(p.Caches)},
		Complete: func(r *record.Result) {
			i := slices.IndexFunc(reads, func(read published.Read) bool { return read.CacheMiB<<20 == r.Cache.Bytes })
			if i >= 0 {
				r.Published = &reads[i]
			}
		},
	}
	if s.Done, err = s.Journal.Results(); err != nil {
		return nil, err
	}
	for _, bytes := range p.Caches {
		protocol, err := published.ProtocolFor(bytes)
		if err != nil {
			return nil, err
		}
		s.Caches = append(s.Caches, engine.OpenConfig{CacheBytes: bytes, Shards: protocol.Shards})
		s.Options.Workers = protocol.Threads
	}
	if s.Database, err = database.Open(ctx, p.Engines, p.Dataset(), database.OpenOptions{}); err != nil {
		return nil, err
	}
	if err := s.Database.RequireOutside(p.Out, "--out"); err != nil {
		return nil, errors.Join(err, s.Database.Close())
	}
	return s, nil
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
	p.Warmup = cmp.Or(p.Warmup, measure.WarmupOneIn(protocol.KeysPerWarmupGet))
	if p.Out == "" {
		p.Out = p.Dataset() + ".jsonl" // whose directory may not exist yet
		return nil
	}
	_, err = (&record.Journal{Path: p.Out}).Results()
	return err
}

// chooseCaches refuses named sizes that do not fit, and leaves such published ones out.
func (p *Plan) chooseCaches() error {
	for _, bytes := range p.Caches {
		if err := machine.FitsCache(bytes); err != nil {
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
			if refused = machine.FitsCache(r.CacheMiB << 20); refused != nil {
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
