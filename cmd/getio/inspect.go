package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/properties"
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
		err := d.WriteShape(c.Context(), i.shape, func(phase string, done, total uint64, unit string) { m.Show(phase, done, total, unit, "") })
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

// mdbx shows the tables of an MDBX database.
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
