package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine"
	"getio/engine/engines"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/workload"
	"getio/record"
	"getio/tree/growth"
	"getio/tree/lsm"
	"getio/tree/published"
)

// reproduction makes the study's runs on one of its databases again.
type reproduction struct {
	name   string  // of the published database: small, medium or large
	dir    string  // of datasets and records
	real   bool    // write whole tables, not only their metadata
	sizes  []int64 // of the block cache, in bytes
	gets   int64
	warmup measure.Warmup
	goOn   int // further runs of one that is not steady
	out    string
	json   bool
}

// dataset is where the dataset lies. Real and virtual ones do not mix.
func (r *reproduction) dataset() string {
	if r.real {
		return filepath.Join(r.dir, r.name+"-real")
	}
	return filepath.Join(r.dir, r.name)
}

// records is where the results go unless the user says otherwise.
func (r *reproduction) records() string { return r.dataset() + ".jsonl" }

// job is the load that makes the dataset.
func (r *reproduction) job() (*load.Job, error) {
	m := &dataset.Manifest{Values: dataset.ValuesPool32, ValueSize: benchValueSize, Seed: 1, Build: dataset.BuildVirtual}
	if r.real {
		m.Build = dataset.BuildShaped
	}
	return load.NewTreeJob(engines.All(), r.dataset(), m, nil, defaultWorkers(), func(map[string]string) (*lsm.Shape, error) {
		return growth.Published(r.name, m.Seed)
	})
}

// prepare finds out what is left to be done for the dataset.
func (r *reproduction) prepare(c *cobra.Command) (*preparation, error) {
	if err := requireNoFile(r.dir); err != nil {
		return nil, err
	}
	job, err := r.job()
	if err != nil {
		return nil, err
	}
	p, err := prepare(job)
	if err == nil && p.begin && r.real {
		err = requireSpace(job)
	}
	return p, err
}

// run reads the dataset, which is there, with every cache.
func (r *reproduction) run(c *cobra.Command, w *watch) ([]*record.Result, error) {
	reads, err := published.Reads(r.name)
	if err != nil {
		return nil, err
	}
	done, err := (&record.Journal{Path: r.out}).Results()
	if err != nil {
		return nil, err
	}
	d, err := database.Open(c.Context(), engines.All(), r.dataset(), database.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := requireOutside(r.out, d, "--out"); err != nil {
		return nil, err
	}
	sweep := keptSweep{
		Sweep: measure.Sweep{
			Database: d, Keys: database.KeySource{Random: workload.Random{Seed: 1}}, Done: done,
			Options: measure.Options{Gets: r.gets, Warmup: r.warmup, MoreRuns: r.goOn},
		},
		out: r.out, json: r.json,
		complete: func(result *record.Result) {
			i := slices.IndexFunc(reads, func(p published.Read) bool { return p.CacheMiB<<20 == result.Cache.Bytes })
			if i >= 0 {
				result.Published = &reads[i]
			}
		},
	}
	for _, bytes := range r.sizes {
		p, err := published.ProtocolFor(bytes)
		if err != nil {
			return nil, err
		}
		sweep.Caches = append(sweep.Caches, engine.OpenConfig{CacheBytes: bytes, Shards: p.Shards})
		sweep.Options.Workers = p.Threads
	}
	return sweep.run(c, w)
}

// publishedSizes are the cache sizes of the study's runs on a database, and the
// largest of its protocols. Sizes that this machine has no memory for are left
// out; why says it in a sentence.
func publishedSizes(name string) (sizes []int64, why []string, err error) {
	reads, err := published.Reads(name)
	for _, p := range reads {
		bytes := p.CacheMiB << 20
		if err := checkMemory(bytes); err != nil {
			why = append(why, fmt.Sprintf("%s MiB is left out: %v.", humanize.Comma(p.CacheMiB), err))
			continue
		}
		sizes = append(sizes, bytes)
	}
	return sizes, why, err
}
