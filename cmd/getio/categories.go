package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/client/chaindata"
	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/ethereum/census"
	"getio/measure/database"
	"getio/record"
	"getio/report"
)

// categoryFlags are the flags of inspect --categories.
type categoryFlags struct {
	categories bool
	exact      bool
	sample     int // ranges
	ancient    string
	seed       uint64
}

func (f *categoryFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.categories, "categories", false, "estimate the keys of each category, and list the freezer")
	flags.BoolVar(&f.exact, "exact", false, "with --categories: count every key instead of estimating")
	flagvalue.Count(flags, &f.sample, "sample", "5k", 2, maxRanges, "number of key ranges that --categories samples")
	flagvalue.Dir(flags, &f.ancient, "ancient", "", "directory of the freezer (default: DIR/ancient)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the estimate")
}

// check refuses flags that exclude each other; other means that inspect is to do something
// else as well.
func (f *categoryFlags) check(other bool) error {
	if !f.categories && (f.exact || f.ancient != "") {
		return usage.Errorf("--exact and --ancient need --categories: add it")
	}
	if f.categories && other {
		return usage.Errorf("--categories excludes --shape and --format: leave one out")
	}
	return nil
}

const maxRanges = 10_000_000

// census counts or estimates the database's categories and prints them.
func (f *categoryFlags) census(c *cobra.Command, d *database.Database, json bool) error {
	ancient := f.ancient
	if ancient == "" {
		ancient = filepath.Join(d.Dir, chaindata.AncientDir)
	}
	freezer, err := chaindata.Freezers(ancient)
	if err != nil {
		return err
	}
	if f.ancient != "" && freezer == nil {
		return fmt.Errorf("%s has no freezer: name the directory that contains chain and state", f.ancient)
	}
	r, err := f.take(c, d)
	if err != nil {
		return err
	}
	r.Engine = d.EngineRecord()
	for _, t := range freezer {
		r.Freezer = append(r.Freezer, record.FreezerTable(t))
	}
	return show(c, json, r, report.Categories)
}

func (f *categoryFlags) take(c *cobra.Command, d *database.Database) (*record.Categories, error) {
	m := progress.Meter(c)
	defer m.Finish()
	return census.Take(c.Context(), d.Store, census.Plan{
		Dir: d.Dir, Exact: f.exact, Ranges: int64(f.sample), Seed: f.seed,
		Progress: func(phase string, done, total uint64, unit string) { m.Show(phase, done, total, unit, "") },
	})
}
