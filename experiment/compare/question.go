package compare

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"getio/engine"
	"getio/engine/lsm"
	"getio/experiment/preparation"
	"getio/load"
	"getio/load/treewriter"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/workload/dataset"
)

// Question is a ready-made comparison, with the databases that it needs.
type Question struct {
	Name  string
	Short string
	Keys  string // of each database, by default
	About string // what it answers, and how

	sides  []treeSide // the base first
	absent []float64  // shares of absent keys: one comparison for each
}

// tree is a database of a question. Trees of one name are one database, also in different
// questions.
type tree struct {
	name    string
	engine  string
	options []string
	// natural trees are made by the library's own write path; the others table by table.
	natural bool
	// sublevels is the wanted number in L0: keys of natural trees are overwritten until it is
	// reached.
	sublevels int
}

// treeSide is a tree and how it is read.
type treeSide struct {
	label            string
	tree             tree
	engine           string // "": the tree's
	lastLevelFilters bool
}

// Asked is a question with the size and the place of its databases.
type Asked struct {
	Question
	Dir     string
	Keys    uint64
	Workers int // of loads
	Engines engine.Registry
}

// Records is the file of the question's records.
func (a *Asked) Records() string {
	return filepath.Join(a.Dir, fmt.Sprintf("%d-%s.jsonl", a.Keys, a.Name))
}

func (a *Asked) treeDir(name string) string {
	return filepath.Join(a.Dir, fmt.Sprintf("%d-%s", a.Keys, name))
}

// Compare makes the question's comparisons, which differ from the given one in their sides,
// the share of absent keys and the journal. Their databases are complete.
func (a *Asked) Compare(ctx context.Context, like Plan) (*Findings, error) {
	like.Sides, like.Journal.Path = nil, a.Records()
	for _, s := range a.sides {
		like.Sides = append(like.Sides, Configuration{
			Label: s.label, Dir: a.treeDir(s.tree.name), Choice: database.OpenOptions{Engine: s.engine}, LastLevelFilters: s.lastLevelFilters,
		})
	}
	all := &Findings{}
	for _, absent := range a.absent {
		plan := like
		plan.Options.Keys.Absent = absent
		if err := plan.Resume(); err != nil {
			return nil, err
		}
		found, err := plan.Run(ctx, a.Engines)
		if err != nil {
			return nil, explain(err, a.Keys)
		}
		all.Results = append(all.Results, found.Results...)
		all.Lines = append(all.Lines, found.Lines...)
	}
	return all, nil
}

// Databases finds out what is left to be done for the question's databases. It writes nothing.
func (a *Asked) Databases() (all []*Database, err error) {
	if err := preparation.RequireDirectory(a.Dir); err != nil {
		return nil, err
	}
	for _, s := range a.sides {
		t := s.tree
		if slices.ContainsFunc(all, func(d *Database) bool { return d.tree.name == t.name }) {
			continue
		}
		d := &Database{Dir: a.treeDir(t.name), tree: t, engines: a.Engines, workers: a.Workers}
		job, err := a.job(t)
		if err == nil {
			d.Preparation, err = preparation.Dataset(job, t.natural)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// valueBytes is the size of values, as in the published study.
const valueBytes = 110

// job is the load that makes a tree. Values are random, as hashes are, so that compression
// does not make blocks alike.
func (a *Asked) job(t tree) (*load.Job, error) {
	m := &dataset.Manifest{
		Engine: t.engine, Preset: "bench_kvdb", Keys: a.Keys, Keyspace: dataset.KeyspaceKeccak,
		Values: dataset.ValuesRandom, ValueSize: valueBytes, Seed: 1, Order: dataset.OrderRandom,
	}
	if t.natural {
		m.Batch = 100
		return load.NewJob(a.Engines, a.treeDir(t.name), m, t.options, a.Workers)
	}
	m.Build = dataset.BuildShaped
	return load.NewTreeJob(a.Engines, a.treeDir(t.name), m, t.options, a.Workers, func(options map[string]string) (*lsm.Shape, error) {
		return treewriter.GrownShape(a.Keys, m.Seed, m.ValueSize, m.Values, options)
	})
}

// explain names the number of keys as the cause of an error if trees of that size are too small for
// the question.
func explain(err error, keys uint64) error {
	if consulted, ok := errors.AsType[*database.AllFiltersConsulted](err); ok {
		return fmt.Errorf("%s has no L%d with only %d keys, so Gets consult all of its filters already: take more with --keys", consulted.Dir, lsm.NumLevels-1, keys)
	}
	return err
}

// Database is a database of a question, to be made or finished.
type Database struct {
	*preparation.Preparation
	Dir string

	tree    tree
	engines engine.Registry
	workers int
}

const (
	// maxFills bounds the rounds of overwriting for L0, which a compaction may empty.
	maxFills = 100
	// fillKeys fill less than a memtable of l0Tree, so that each round of overwriting is
	// flushed to one table.
	fillKeys = 500
)

// Make makes or finishes the database. It calls watch with each load and update before it runs, and
// say with a sentence about what it makes.
func (d *Database) Make(ctx context.Context, watch func(*load.Job), say func(string)) error {
	say(d.About(d.Dir, "Making "+d.Dir+" ..."))
	if d.Job != nil {
		watch(d.Job)
		if err := d.Run(ctx); err != nil {
			return err
		}
	}
	if !d.tree.natural {
		return nil
	}
	if err := d.fill(ctx, watch); err != nil {
		return err
	}
	say(fmt.Sprintf("%s has %s in L0.", d.Dir, units.Plural(int64(d.tree.sublevels), "sublevel")))
	return nil
}

// fill overwrites keys until L0 has the wanted sublevels. The number that a load leaves depends on
// its last compactions.
func (d *Database) fill(ctx context.Context, watch func(*load.Job)) error {
	for range maxFills {
		if n, err := d.sublevels(ctx); err != nil || n == d.tree.sublevels {
			return err
		}
		m, err := dataset.Read(d.Dir)
		if err != nil {
			return err
		}
		job, err := load.ExistingJob(d.engines, d.Dir, m, d.workers)
		if err != nil {
			return err
		}
		watch(job)
		if err := job.Update(ctx, fillKeys, dataset.Draw(1, uint64(len(m.Updates)))); err != nil {
			return err
		}
	}
	return fmt.Errorf("L0 of %s did not get %d sublevels in %d rounds of overwriting keys: remove it and start again", d.Dir, d.tree.sublevels, maxFills)
}

// sublevels returns how many sublevels L0 has.
func (d *Database) sublevels(ctx context.Context) (int, error) {
	db, err := database.Open(ctx, d.engines, d.Dir, database.OpenOptions{})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	levels := db.Store.Shape().Levels
	i := slices.IndexFunc(levels, func(l lsm.Level) bool { return l.Level == 0 })
	if i < 0 {
		return 0, nil
	}
	return int(levels[i].Sublevels), nil
}
