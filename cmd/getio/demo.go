package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/experiment/reproduce"
	"getio/measure"
	"getio/numbers/units"
	"getio/report"
)

type demoFlags struct {
	dir  string
	keys uint64
	json bool

	watch watchFlags
}

func demoCommand() *cobra.Command {
	var d demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "A short tour: the published curve, measured in three minutes",
		Long: `demo makes the published study's database of 200 million keys, with only the
metadata of its tables on disk, reads it through an unmodified Pebble v1.1.5 with
the study's cache sizes and some between, and shows its figures and the measured
ones side by side. It makes fewer Gets than the study; 'getio reproduce small'
makes as many.

With --keys it loads so many keys through the library's own write path instead,
and sweeps ten cache sizes. The tables, levels and memtable of that tree are
smaller than the published configuration's, so that several levels and two-level
indexes exist at this size: its curve has the shape of a large database's, not
its figures.

Dataset and records are kept; a second run goes on from what is there.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if d.keys > 0 {
				return d.ownTree(c)
			}
			return d.published(c)
		},
	}
	c.Flags().StringVar(&d.dir, "dir", "demo", "directory for the dataset and the records")
	countVar(c.Flags(), &d.keys, "keys", "", 1, units.MaxCount, "load that many keys into a tree of files instead, such as 2M")
	c.Flags().BoolVar(&d.json, "json", false, "print getio.result/1 records instead, one per line")
	d.watch.register(c)
	return c
}

// say prints what is not for programs.
func (d *demoFlags) say(c *cobra.Command, format string, args ...any) {
	if !d.json {
		fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
	}
}

// The demo's runs are shorter than the study's, so that all of them fit in three
// minutes: so many Gets, after so many to warm up.
const (
	demoDatabase = "small"
	demoGets     = 300_000
	demoWarmup   = 400_000
)

// demoBetween are cache sizes between the study's, for the curve.
var demoBetween = []int64{90 << 20, 150 << 20}

// published measures the published curve.
func (d *demoFlags) published(c *cobra.Command) error {
	sizes, _, err := reproduce.Caches(demoDatabase, checkMemory)
	if err != nil {
		return err
	}
	plan := &reproduce.Plan{
		Name: demoDatabase, Dir: d.dir, Caches: ascending(append(sizes, demoBetween...)),
		Gets: demoGets, Warmup: measure.WarmupGets(demoWarmup), Engines: engines.All(), Workers: defaultWorkers(),
	}
	plan.Out = plan.Records()
	left, err := plan.Prepare()
	if err != nil {
		return err
	}
	w, err := d.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	d.say(c, "getio demo: what does one Get cost in disk reads, and how does the cache change it?\n")
	d.say(c, "%s", left.About(plan.Dataset(), "Making the published study's database of 200 million keys, the metadata of its tables only,\n"+
		"in "+plan.Dataset()+" ..."))
	if err := w.prepare(c, left); err != nil {
		return err
	}
	return d.curve(c, plan, w)
}

// curve makes the runs of the reproduction, and shows them beside the study's.
func (d *demoFlags) curve(c *cobra.Command, plan *reproduce.Plan, w *watch) error {
	d.say(c, "Reading it through an unmodified Pebble v1.1.5, every read of a table counted and every Get checked:\n"+
		"%s Gets with each of %d cache sizes ...\n", humanize.Comma(plan.Gets), len(plan.Caches))
	results, err := runReproduction(c, plan, d.json, w)
	if err != nil {
		return err
	}
	if d.json {
		return believable(results...)
	}
	if err := report.Reproduction(c.OutOrStdout(), results); err != nil {
		return err
	}
	d.say(c, "")
	if err := report.Curve(c.OutOrStdout(), results); err != nil {
		return err
	}
	d.say(c, "\nRuns this short tell the curve. They do not tell what a large cache comes to: where a run is said to\n"+
		"be falling, the cache was still filling. 'getio reproduce small' makes all of the study's Gets.\n"+
		"Or your own: 'getio inspect DIR', then 'getio sweep DIR' on any Pebble database. It is only read.\n\n"+
		"Records: %s", plan.Out)
	return believable(results...)
}
