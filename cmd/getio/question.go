package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine/engines"
	"getio/load"
	"getio/load/treewriter"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/system/device"
	"getio/tree/lsm"
)

// question is a prepared comparison, with the databases that it takes.
type question struct {
	name  string
	short string
	keys  string // of each database, by default
	about string // what it answers, and how
	trees []questionTree
	sides []questionSide // the base first
	// absent are the shares of Gets that ask for absent keys: a comparison for each.
	absent []float64
}

// questionTree is a database of a question. Those of one name are one database, also of
// different questions.
type questionTree struct {
	name    string
	engine  string
	options []string
	// natural: the library's own write path makes it, and not getio table by table.
	natural bool
	// sublevels of L0 it is to have; only of natural ones, which are given them by
	// overwriting keys.
	sublevels int
}

// questionSide is one of the trees, and how it is read.
type questionSide struct{ label, tree, setting string }

// questionFlags are the flags of a question.
type questionFlags struct {
	keys    uint64
	cache   []lsm.CacheSize
	dir     string
	gets    int64 // 0: by the trees
	warmup  measure.Warmup
	rounds  int
	workers int
	json    bool
	watch   watchFlags
}

func questionNames() (names []string) {
	for _, q := range questions {
		names = append(names, q.name)
	}
	return names
}

func (q question) command() *cobra.Command {
	var f questionFlags
	c := &cobra.Command{
		Use:   q.name,
		Short: q.short,
		Long:  q.about + "\n\nDatabases and records are kept in --dir, and a second run goes on from what is there.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s is a question, which takes flags only: for a directory of that name say ./%s", q.name, q.name)
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, q) },
	}
	flags := c.Flags()
	countVar(flags, &f.keys, "keys", q.keys, 1, units.MaxCount, "keys of each database")
	cachesVar(flags, &f.cache, "0.2%,0.5%,1%", "cache sizes, comma-separated; shares, IP1 and IP2 are of the first side's database")
	flags.StringVar(&f.dir, "dir", "comparisons", "directory for the databases and the records")
	getsVar(flags, &f.gets, "measured Gets of each run, like 10M (default: 200k, or more where a tree is large)")
	warmupVar(flags, &f.warmup, "Gets before them: auto (what the side that needs most takes until it is steady), a number, or a share of the keys such as 0.05%")
	roundsVar(flags, &f.rounds)
	workersVar(flags, &f.workers, "concurrent readers")
	flags.BoolVar(&f.json, "json", false, "print getio.result/1 records, and getio.compare/1 records after them, one per line")
	f.watch.register(c)
	return c
}

func (f *questionFlags) run(c *cobra.Command, q question) error {
	asked, err := f.comparisons(c, q)
	if err != nil {
		return err
	}
	preparations, err := f.prepare(c, q)
	if err != nil {
		return err
	}
	w, err := f.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	if fi, err := os.Stat(q.name); err == nil && fi.IsDir() {
		fmt.Fprintf(c.ErrOrStderr(), "%s is the question here, and not the directory: that is ./%s\n", q.name, q.name)
	}
	f.say(c, "%s\n", q.about)
	for i, p := range preparations {
		dir := f.treeDir(q.trees[i])
		f.say(c, "%s", p.about(dir, "Making "+dir+" ..."))
		if err := p.run(c, w); err != nil {
			return err
		}
		if err := f.fill(c, q.trees[i], w); err != nil {
			return err
		}
	}
	return f.answer(c, asked, w)
}

func (f *questionFlags) say(c *cobra.Command, format string, args ...any) {
	if !f.json {
		fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
	}
}

// comparisons checks the flags.
func (f *questionFlags) comparisons(c *cobra.Command, q question) (all []*comparison, err error) {
	if err := requireNoFile(f.dir); err != nil {
		return nil, err
	}
	var args []string
	for _, s := range q.sides {
		i := slices.IndexFunc(q.trees, func(t questionTree) bool { return t.name == s.tree })
		settings := []string{settingLabel + "=" + s.label}
		if s.setting != "" {
			settings = append(settings, s.setting)
		}
		args = append(args, f.treeDir(q.trees[i])+":"+strings.Join(settings, ","))
	}
	for _, absent := range q.absent {
		flags := compareFlags{cache: f.cache, rounds: f.rounds}
		flags.runFlags = runFlags{
			askFlags: askFlags{seed: 1, absent: absent}, gets: f.gets, warmup: f.warmup, workers: f.workers, files: -1,
			json: f.json, device: deviceFlags{pageCache: device.Keep},
		}
		p, err := flags.comparison(c, args)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// treeDir is where a tree lies.
func (f *questionFlags) treeDir(t questionTree) string {
	return filepath.Join(f.dir, fmt.Sprintf("%d-%s", f.keys, t.name))
}

// prepare finds out what there is to be made; it makes nothing.
func (f *questionFlags) prepare(c *cobra.Command, q question) (all []*preparation, err error) {
	for _, t := range q.trees {
		job, err := f.job(t)
		if err != nil {
			return nil, err
		}
		prepared := prepare
		if t.natural {
			prepared = prepareUpdated
		}
		p, err := prepared(job)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// job is the load that makes a tree. The values are random, as hashes are, so that no
// compression evens blocks out.
func (f *questionFlags) job(t questionTree) (*load.Job, error) {
	m := &dataset.Manifest{
		Engine: t.engine, Preset: benchPreset, Keys: f.keys, Keyspace: dataset.KeyspaceKeccak,
		Values: dataset.ValuesRandom, ValueSize: benchValueSize, Seed: 1, Order: dataset.OrderRandom,
	}
	if t.natural {
		m.Batch = 100
		return load.NewJob(engines.All(), f.treeDir(t), m, t.options, defaultWorkers())
	}
	m.Build = dataset.BuildShaped
	return load.NewTreeJob(engines.All(), f.treeDir(t), m, t.options, defaultWorkers(), func(options map[string]string) (*lsm.Shape, error) {
		return treewriter.GrownShape(f.keys, m.Seed, m.ValueSize, m.Values, options)
	})
}

// answer runs the comparisons, and prints them one after the other.
func (f *questionFlags) answer(c *cobra.Command, asked []*comparison, w *watch) error {
	all := &findings{}
	p := asked[0]
	for _, p := range asked {
		var err error
		p.journal.Path = f.records(c.Name())
		if p.done, err = p.journal.Results(); err != nil {
			return err
		}
		found, err := p.run(c, w)
		var consulted *allConsulted
		if errors.As(err, &consulted) {
			return fmt.Errorf("Gets of %s consult all the filters that it has, since a tree of %d keys has no L%d: take more with --keys", consulted.dir, f.keys, lsm.NumLevels-1)
		}
		if err != nil {
			return err
		}
		all.results = append(all.results, found.results...)
		all.lines = append(all.lines, found.lines...)
	}
	f.say(c, "")
	return all.conclude(c, p, "")
}

// records is the file of a question's records.
func (f *questionFlags) records(name string) string {
	return filepath.Join(f.dir, fmt.Sprintf("%d-%s.jsonl", f.keys, name))
}

// mostFills is how many rounds of overwriting are made for L0 at most: a compaction may
// begin it anew.
const mostFills = 100

// fillKeys are fewer than fill a memtable of l0Tree, so that each round of
// overwriting is flushed to one table.
const fillKeys = 500

// fill overwrites keys until L0 of a natural tree has as many sublevels as it is to
// have: of how many a load leaves, its last compactions decide.
func (f *questionFlags) fill(c *cobra.Command, t questionTree, w *watch) error {
	if !t.natural {
		return nil
	}
	dir := f.treeDir(t)
	for range mostFills {
		n, err := sublevels(c, dir)
		if err != nil {
			return err
		}
		if n == t.sublevels {
			f.say(c, "%s has %s in L0.", dir, units.Plural(int64(n), "sublevel"))
			return nil
		}
		if err := update(c, dir, fillKeys, 1, w); err != nil {
			return err
		}
	}
	return fmt.Errorf("L0 of %s did not come to %d sublevels in %d rounds of overwriting keys: remove it and begin again", dir, t.sublevels, mostFills)
}

// sublevels is how many sublevels L0 of a dataset has.
func sublevels(c *cobra.Command, dir string) (int, error) {
	d, err := database.Open(c.Context(), engines.All(), dir, database.OpenOptions{})
	if err != nil {
		return 0, err
	}
	defer d.Close()
	i := slices.IndexFunc(d.Store.Shape().Levels, func(l lsm.Level) bool { return l.Level == 0 })
	if i < 0 {
		return 0, nil
	}
	return int(d.Store.Shape().Levels[i].Sublevels), nil
}
