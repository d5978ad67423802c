package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine/engines"
	"getio/experiment/prepare"
	"getio/load"
	"getio/measure"
	"getio/system/device"
)

// ownTree loads a tree of files and sweeps ten cache sizes.
func (d *demoFlags) ownTree(c *cobra.Command) error {
	if err := prepare.RequireDirectory(d.dir); err != nil {
		return err
	}
	dir := d.dir + "/" + fmt.Sprintf("%d-keys", d.keys)
	job, err := load.NewJob(engines.All(), dir, &dataset.Manifest{
		Keys: d.keys, Preset: benchPreset, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32,
		ValueSize: benchValueSize, Seed: 1, Order: dataset.OrderRandom, Batch: benchBatch,
	}, prepare.ScaledOptions, defaultWorkers())
	if err != nil {
		return err
	}
	p, err := prepare.Dataset(job)
	if err != nil {
		return err
	}
	w, err := d.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	d.say(c, "getio demo: what does one Get cost in disk reads, and how does the cache change it?\n")
	d.say(c, "%s", p.About(dir, fmt.Sprintf("Loading %s keys into %s through an unmodified Pebble v1, then letting it settle ...\n", humanize.Comma(int64(d.keys)), dir)+
		"(table, level and memtable sizes are scaled down, so that several levels and two-level\n"+
		"indexes exist at this size)"))
	if err := w.prepare(c, p); err != nil {
		return err
	}
	d.say(c, "Sweeping ten cache sizes, each in a fresh read-only open, every read of a table counted ...\n")
	sweep := sweepFlags{out: dir + ".jsonl", runFlags: runFlags{
		askFlags: askFlags{seed: 1}, gets: 200_000, warmup: measure.AutoWarmup, workers: defaultWorkers(), files: -1, json: d.json,
		device: deviceFlags{pageCache: device.Keep},
	}}
	plan, err := sweep.plan(c, dir)
	if err == nil {
		err = sweep.run(c, plan, w)
	}
	if err != nil || d.json {
		return err
	}
	d.say(c, "\nNow your own: 'getio inspect DIR', then 'getio sweep DIR' on any Pebble database. It is only read.")
	return nil
}
