package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/experiment/reproduce"
	"getio/measure"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/tree/growth"
	"getio/tree/published"
)

type reproduceFlags struct {
	dir   string
	real  bool
	cache []int64 // none: the published ones
	gets  int64   // 0: as many as published
	out   string
	json  bool
	watch watchFlags
}

func reproduceCommand() *cobra.Command {
	var f reproduceFlags
	c := &cobra.Command{
		Use:   "reproduce small|medium|large",
		Short: "Repeat the published study's runs on one of its databases",
		Long: `reproduce makes one of the published study's databases (200 million, 2 billion or
20 billion keys), unless it exists, and repeats the study's runs on it: the same cache
sizes, shards, warm-up, number of Gets and readers, with an unmodified Pebble v1.1.5. It
prints the published and the measured figures side by side. A run that is not steady
after the study's number of Gets is followed by up to three more, whose result it prints
as well.

Tables hold what the study's levels held, and are byte for byte what the library writes.
Only their metadata is on disk; data blocks are made when they are read. --real writes
complete tables: 22 GB, 224 GB and 2.2 TB.

The dataset and the results are kept. Run the same command again to resume.`,
		Example: `  getio reproduce small
  getio reproduce large --cache 2600MiB,4500MiB,16GiB --out large.jsonl`,
		Args: publishedDatabase,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f2 := c.Flags()
	f2.StringVar(&f.dir, "dir", "reproduce", "directory for datasets and results")
	f2.BoolVar(&f.real, "real", false, "write complete tables")
	flagVar(f2, &f.cache, "cache", "sizes", "", listOf(units.ParseSize), "cache sizes such as 45MiB, comma-separated (default: the published ones)")
	getsVar(f2, &f.gets, "measured Gets per run (default: 10M, as published)")
	f2.StringVar(&f.out, "out", "", "JSON Lines file for the results (default: in --dir)")
	f2.BoolVar(&f.json, "json", false, "print getio.result/1 records instead, one per line")
	f.watch.register(c)
	return c
}

// publishedDatabase checks the argument of reproduce.
func publishedDatabase(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 1:
		return fmt.Errorf("reproduce needs one published database, not %d: small, medium or large", len(args))
	case !slices.Contains(growth.Names, args[0]):
		return fmt.Errorf("unknown published database %q: use small, medium or large", args[0])
	}
	return nil
}

// furtherRuns is how many runs may follow one that is not steady.
const furtherRuns = 3

func (f *reproduceFlags) run(c *cobra.Command, name string) error {
	plan, leftOut, err := f.plan(name)
	if err != nil {
		return err
	}
	left, err := plan.Prepare()
	if err != nil {
		return err
	}
	w, err := f.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	say := func(format string, args ...any) {
		if !f.json {
			fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
		}
	}
	say("%s", left.About(plan.Dataset(), "Making the published database "+name+" in "+plan.Dataset()+" ..."))
	if err := w.prepare(c, left); err != nil {
		return err
	}
	results, err := runReproduction(c, plan, f.json, w)
	if err != nil {
		return err
	}
	if !f.json {
		if err := report.Reproduction(c.OutOrStdout(), results); err != nil {
			return err
		}
		say("")
		if err := report.Curve(c.OutOrStdout(), results); err != nil {
			return err
		}
	}
	for _, why := range leftOut {
		say("%s", why)
	}
	say("\nRecords: %s", plan.Out)
	return believable(results...)
}

// runReproduction makes the runs on the dataset, which is complete.
func runReproduction(c *cobra.Command, plan *reproduce.Plan, json bool, w *watch) ([]*record.Result, error) {
	s, err := plan.Open(c.Context())
	if err != nil {
		return nil, err
	}
	defer s.Database.Close()
	return runSweep(c, s, json, w)
}

// plan checks the flags, and says which cache sizes are left out and why.
func (f *reproduceFlags) plan(name string) (p *reproduce.Plan, leftOut []string, err error) {
	p = &reproduce.Plan{
		Name: name, Dir: f.dir, Real: f.real, MoreRuns: furtherRuns, Out: f.out, Engines: engines.All(), Workers: defaultWorkers(),
	}
	if p.Caches, leftOut, err = f.caches(name); err != nil {
		return nil, nil, err
	}
	protocol, err := published.ProtocolFor(p.Caches[0])
	if err != nil {
		return nil, nil, err
	}
	p.Warmup, p.Gets = measure.WarmupOneIn(protocol.KeysPerWarmupGet), cmp.Or(f.gets, protocol.Gets)
	p.Out = cmp.Or(f.out, p.Records())
	if f.out != "" { // the directory of the default file may not exist yet
		_, err = (&record.Journal{Path: f.out}).Results()
	}
	return p, leftOut, err
}

// caches returns the cache sizes to measure with. Sizes of --cache must fit this machine's
// memory; of the published ones, those that do not are left out.
func (f *reproduceFlags) caches(name string) (sizes []int64, leftOut []string, err error) {
	if f.cache == nil {
		if sizes, leftOut, err = reproduce.Caches(name, checkMemory); err == nil && len(sizes) == 0 {
			err = errors.New(leftOut[0])
		}
		return sizes, leftOut, err
	}
	for _, bytes := range f.cache {
		if err := checkMemory(bytes); err != nil {
			return nil, nil, err
		}
	}
	return ascending(f.cache), nil, nil
}
