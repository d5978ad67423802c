package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/engine"
	"getio/ethereum/census"
	"getio/ethereum/chaindata"
	"getio/measure/database"
	"getio/record"
	"getio/report"
)

// categoryFlags are the flags of inspect --categories.
type categoryFlags struct {
	categories bool
	exact      bool
	sample     string
	ancient    string
	seed       uint64
}

func (f *categoryFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.categories, "categories", false, "tell what the keys of geth's chaindata are, and what its freezer holds")
	flags.BoolVar(&f.exact, "exact", false, "with --categories: count every key")
	flags.StringVar(&f.sample, "sample", "5k", "with --categories: estimate from so many ranges of keys, of about a data block each")
	flags.StringVar(&f.ancient, "ancient", "", "with --categories: where the freezer is (default: ancient in DIR)")
	flags.Uint64Var(&f.seed, "seed", 1, "with --categories: seed of the ranges")
}

// check refuses flags that do not go together; other tells whether inspect is asked
// for something else too.
func (f *categoryFlags) check(other bool) error {
	if !f.categories && (f.exact || f.ancient != "") {
		return errors.New("--exact and --ancient belong to --categories: add it")
	}
	if f.categories && other {
		return errors.New("--categories does not go with --shape and --format: leave one out")
	}
	n, err := parseCount("--sample", f.sample)
	if err == nil && (n < 2 || n > maxRanges) {
		err = fmt.Errorf("--sample %q is out of range: take 2 to %.0e, or --exact", f.sample, float64(maxRanges))
	}
	return err
}

const maxRanges = 10_000_000

// scanCache is enough for the index blocks on the way of a scan, in bytes.
const scanCache = 64 << 20

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
		return fmt.Errorf("%s has no freezer: name the directory that has chain and state in it", f.ancient)
	}
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: max(scanCache, d.Info().MinCacheBytes)})
	if err != nil {
		return err
	}
	defer db.Close()
	info := d.Info()
	r := &record.Categories{
		Schema: record.CategoriesSchema, Path: d.Dir, Engine: d.EngineRecord(),
		Categories: map[string]record.CategoryTally{}, WAL: record.WAL{Keys: info.WALKeys, Bytes: info.WALBytes},
	}
	for _, t := range freezer {
		r.Freezer = append(r.Freezer, record.FreezerTable(t))
	}
	ordered, err := engine.AsOrdered(db, d.Info())
	if err != nil {
		return err
	}
	if err := f.count(c, d, ordered, r); err != nil {
		return err
	}
	if err := requireChaindata(r); err != nil {
		return err
	}
	r.Scheme = schemeOf(r)
	if json {
		return record.WriteLine(c.OutOrStdout(), r)
	}
	return report.Categories(c.OutOrStdout(), r)
}

// count fills in the categories: all keys of a small database, an estimate for a
// large one.
func (f *categoryFlags) count(c *cobra.Command, d *database.Database, db engine.Ordered, r *record.Categories) error {
	sampler, err := d.Store.Sampler()
	if err != nil {
		return err
	}
	defer sampler.Close()
	ranges, err := parseCount("--sample", f.sample)
	if err != nil {
		return err
	}
	if f.exact || int64(sampler.Ranges()) <= ranges {
		return countAll(c, db, uint64(d.Store.Shape().Total().Records), r)
	}
	m := newMeter()
	defer m.finish()
	sample, err := census.Sample(c.Context(), db, sampler, ranges, f.seed, func(done int64) {
		m.show("estimate", uint64(done), uint64(ranges), "ranges", "")
	})
	if err != nil {
		return err
	}
	r.Sample = &record.CategorySample{Ranges: ranges, Of: int64(sampler.Ranges()), Seed: f.seed}
	for category, e := range sample.Categories {
		r.Categories[string(category)] = estimated(e)
	}
	r.Total = estimated(sample.Total)
	return nil
}

// countAll counts every key of a database of about so many records.
func countAll(c *cobra.Command, db engine.Ordered, records uint64, r *record.Categories) error {
	m := newMeter()
	defer m.finish()
	tallies, err := census.Exact(c.Context(), db, func(keys int64) { m.show("count", uint64(keys), records, "records", "") })
	if err != nil {
		return err
	}
	tallyOf := func(t census.Tally) record.CategoryTally {
		return record.CategoryTally{Keys: t.Keys, KeyBytes: t.KeyBytes, ValueBytes: t.ValueBytes}
	}
	r.Exact = true
	for category, t := range tallies {
		r.Categories[string(category)] = tallyOf(t)
	}
	r.Total = tallyOf(tallies.Total())
	return nil
}

func estimated(e census.Estimate) record.CategoryTally {
	return record.CategoryTally{
		Keys: e.Keys, KeyBytes: e.KeyBytes, ValueBytes: e.ValueBytes, KeysError: &e.KeysError, BytesError: &e.BytesError,
	}
}

// requireChaindata refuses a database most of whose keys are not of geth's schema:
// some of any keys look as if they were.
func requireChaindata(r *record.Categories) error {
	if other := r.Categories[string(chaindata.Unaccounted)].Keys; 2*other < r.Total.Keys {
		return nil
	}
	return fmt.Errorf("%s is no chaindata: most of its keys are not of geth's schema; --categories tells of geth's databases only", r.Path)
}

// schemeOf tells by the nodes that are there.
func schemeOf(r *record.Categories) string {
	keys := func(c chaindata.Category) int64 { return r.Categories[string(c)].Keys }
	path, hash := keys(chaindata.AccountNodes)+keys(chaindata.StorageNodes), keys(chaindata.HashNodes)
	// The genesis state may have been written under the hash scheme first.
	switch few := int64(math.Sqrt(float64(path))); {
	case path > 0 && hash > few:
		return "both"
	case path > 0:
		return "path"
	case hash > 0:
		return "hash"
	}
	return "none"
}
