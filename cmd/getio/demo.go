package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/database"
	"getio/dataset"
	"getio/load"
	"getio/report"
)

// demoOptions scale the published configuration down, so that a tree of two
// million keys has the levels and the two-level indexes of a large one: table
// sizes and level sizes by 16, the memtable as far as the small caches need.
var demoOptions = []string{
	"target_file_size.L0=128KiB", "target_file_size.L1=128KiB", "target_file_size.L2=256KiB", "target_file_size.L3=512KiB",
	"target_file_size.L4=1MiB", "target_file_size.L5=2MiB", "target_file_size.L6=4MiB",
	"lbase_max_bytes=1MiB", "memtable_size=4MiB",
}

type demoFlags struct {
	dir  string
	keys string
	json bool
}

func demoCommand() *cobra.Command {
	var d demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "A short tour: load two million keys, sweep ten cache sizes, show the curve",
		Long: `demo loads a small dataset through an unmodified Pebble v1.1.5, sweeps ten cache
sizes and shows the curve. Its tables, levels and memtable are smaller than the
published configuration's, so that several levels and two-level indexes exist at
this size: its curve has the shape of a large database's, not its figures.
Dataset and records are kept; a second run goes on from what is there.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return d.run(c) },
	}
	c.Flags().StringVar(&d.dir, "dir", "demo", "directory for the dataset and the records")
	c.Flags().StringVar(&d.keys, "keys", "2M", "number of keys")
	c.Flags().BoolVar(&d.json, "json", false, "print getio.result/1 records instead, one per line")
	return c
}

func (d *demoFlags) run(c *cobra.Command) error {
	keys, err := parseCount("--keys", d.keys)
	if err != nil {
		return err
	}
	if keys == 0 {
		return errors.New("--keys 0 makes no dataset: take at least 1")
	}
	dir := d.dir + "/" + fmt.Sprintf("%d-keys", keys)
	say := func(format string, args ...any) {
		if !d.json {
			fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
		}
	}
	todo, err := d.prepare(dir, uint64(keys))
	if err != nil {
		return err
	}
	say("getio demo: what does one Get cost in disk reads, and how does the cache change it?\n")
	say("%s", todo.about)
	if err := todo.run(c); err != nil {
		return err
	}
	say("Sweeping ten cache sizes, each in a fresh read-only open, every read of a table counted ...\n")
	out := dir + ".jsonl"
	sweep := sweepFlags{out: out}
	sweep.runFlags = runFlags{
		askFlags: askFlags{seed: 1, absent: "0%"}, gets: "200k", warmup: "auto",
		workers: defaultWorkers(), json: d.json,
	}
	results, err := sweep.run(c, dir)
	if err != nil || d.json {
		return err
	}
	say("")
	if err := report.Curve(c.OutOrStdout(), results); err != nil {
		return err
	}
	say("\nNow your own: 'getio inspect DIR', then 'getio sweep DIR' on any Pebble database. It is only read.")
	return nil
}

// demoLoad is what is left to be done for the demo's dataset.
type demoLoad struct {
	about string
	job   *load.Job // nil if the dataset is there
	begin bool
}

func (l *demoLoad) run(c *cobra.Command) error {
	if l.job == nil {
		return nil
	}
	meter := newMeter()
	defer meter.finish()
	l.job.Progress = meter.load
	if l.begin {
		return l.job.New(c.Context())
	}
	return l.job.Resume(c.Context())
}

// prepare finds out what is there of the demo's dataset. It makes nothing.
func (d *demoFlags) prepare(dir string, keys uint64) (*demoLoad, error) {
	if fi, err := os.Stat(d.dir); err == nil && !fi.IsDir() {
		return nil, fmt.Errorf("%s is a file: name another directory with --dir", d.dir)
	}
	m, err := dataset.Read(dir)
	switch {
	case err == nil && m.Complete:
		return &demoLoad{about: dir + " has the dataset already."}, nil
	case err == nil:
		job, err := jobOf(dir, m)
		return &demoLoad{about: "Going on with the load in " + dir + " ...", job: job}, err
	case !errors.Is(err, dataset.ErrNoManifest):
		return nil, err
	}
	job, err := newJob(dir, &dataset.Manifest{
		Keys: keys, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32,
		ValueSize: benchValueSize, Seed: 1, Order: dataset.OrderRandom, Batch: benchBatch,
	}, database.Choice{Preset: benchPreset, Options: demoOptions}, defaultWorkers())
	return &demoLoad{
		about: fmt.Sprintf("Loading %s keys into %s through an unmodified Pebble v1, then letting it settle ...\n", humanize.Comma(int64(keys)), dir) +
			"(table, level and memtable sizes are scaled down, so that several levels and two-level\n" +
			"indexes exist at this size)",
		job: job, begin: true,
	}, err
}
