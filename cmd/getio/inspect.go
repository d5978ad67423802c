package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/client/chaindata"
	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/properties"
	"getio/ethereum/census"
	"getio/ethereum/chainload"
	"getio/measure/database"
	"getio/record"
	"getio/report"
	"getio/statedb/clientdb"
)

type inspectFlags struct {
	format string
	shape  string
	json   bool
	choice database.OpenOptions
	categoryFlags
}

func inspectCommand() *cobra.Command {
	var i inspectFlags
	c := &cobra.Command{
		Use:   "inspect DIR",
		Short: "Show what a database consists of: levels, tables, IP1 and IP2",
		Long: `inspect shows the levels, tables and component sizes of a database, its inflection points
IP1 and IP2, and the most reads that one Get can need. It never writes to the database.
It reads only metadata; with --categories or --shape, also a sample of the data; with --exact,
all of it.

For an MDBX database (reth, erigon), it shows tables, pages and free space.
For geth's chaindata, --categories estimates how many keys each category has.`,
		Example: `  getio inspect data/10m
  getio inspect /var/lib/geth/geth/chaindata --categories
  getio inspect /var/lib/geth/geth/chaindata --format properties`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: onDatabase(i.run, i.mdbx),
	}
	f := c.Flags()
	flagvalue.Choice(f, &i.format, "format", "table", []string{"table", "properties"}, "table, or properties as 'pebble db properties' prints them")
	flagvalue.File(f, &i.shape, "shape", "also write the tree's shape to this file, for predict")
	f.BoolVar(&i.json, "json", false, "print a record instead of text")
	i.categoryFlags.register(f)
	choiceFlags(c, &i.choice)
	liveFlag(c, &i.choice)
	return c
}

func (i *inspectFlags) run(c *cobra.Command, dir string) error {
	if err := i.categoryFlags.check(i.shape != "" || i.format != "table"); err != nil {
		return err
	}
	d, err := database.Open(c.Context(), engines.All(), dir, i.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	warn(c, d.Info().Warnings()...)
	if i.categories {
		return i.census(c, d, i.json)
	}
	if i.shape != "" {
		m := progress.Meter(c)
		err := d.WriteShape(c.Context(), i.shape, m.Step)
		m.Finish()
		if err != nil {
			return err
		}
	}
	out := c.OutOrStdout()
	switch {
	case i.json:
		return record.WriteLine(out, d.Inspection())
	case i.format == "properties":
		return writeProperties(out, d)
	}
	in := d.Inspection()
	in.Made = chainload.MadeBeside(d.Dir)
	return report.Inspect(out, in)
}

func (i *inspectFlags) mdbx(c *cobra.Command, dir string) error {
	if err := refuseForMDBX(c, dir, "json"); err != nil {
		return err
	}
	r, err := clientdb.Inspect(dir)
	if err != nil {
		return err
	}
	return show(c, i.json, r, report.MDBX)
}

func writeProperties(out io.Writer, d *database.Database) error {
	levels, known := d.Store.Properties()
	if !known {
		return fmt.Errorf("the tables of %s have no properties: leave --format out", d.Dir)
	}
	return properties.Write(out, levels)
}

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
		Progress: m.Step,
	})
}
