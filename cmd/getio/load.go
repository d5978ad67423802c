package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine/engines"
	"getio/load"
	"getio/measure/database"
	"getio/record"
)

// loadFlags are the flags of load.
type loadFlags struct {
	keys     string
	keyspace string
	values   string
	size     int
	order    string
	batch    string
	workers  int
	seed     uint64
	shaped   bool
	virtual  bool
	shape    string
	resume   bool
	json     bool
	choice   database.OpenOptions
	watch    watchFlags
}

func loadCommand() *cobra.Command {
	var l loadFlags
	c := &cobra.Command{
		Use:   "load DIR",
		Short: "Make a dataset: through an engine's own write path, or table by table",
		Long: `load makes a dataset in DIR (getio.json and db/): it writes the keys through the
engine's own batches, memtables and compactions, waits until no compaction is
due, and closes cleanly. A load that was interrupted or killed goes on with
--resume; until then nothing reads the dataset as if it were whole.

With --shaped it writes the tables of a grown tree directly, of random keys with
one population per level, and has the engine take them over: many times faster.
With --virtual it writes their metadata only, and readers make the data blocks
as they read them. Tables are to the byte what the library writes; a table of
every level is compared. The tree is that which so many keys grow into, or the
one of --shape: small, medium, large (the published databases), or a file that
'getio inspect --shape' wrote.`,
		Example: `  getio load data/10m --keys 10M --keyspace keccak --values random
  getio load data/10m --resume
  getio load data/small --virtual --shape small`,
		Args: directory,
		RunE: func(c *cobra.Command, args []string) error { return l.run(c, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&l.keys, "keys", "", "number of keys, like 10M (required without --shape)")
	f.StringVar(&l.keyspace, "keyspace", dataset.KeyspaceKeccak, "keys: keccak (the published tool's) or stratified")
	f.StringVar(&l.values, "values", dataset.ValuesPool32, "values: pool32 (32 distinct ones, as published) or random")
	f.IntVar(&l.size, "value-size", 110, "bytes per value")
	f.StringVar(&l.order, "order", dataset.OrderRandom, "order of writing: random or sequential (ascending keys)")
	f.StringVar(&l.batch, "batch", "1000", "keys per batch, or none to set each by itself")
	f.IntVar(&l.workers, "workers", defaultWorkers(), "concurrent writers")
	f.Uint64Var(&l.seed, "seed", 1, "seed of keys, values and order")
	f.BoolVar(&l.shaped, "shaped", false, "write the tables of a grown tree directly")
	f.BoolVar(&l.virtual, "virtual", false, "write only the metadata of such tables")
	f.StringVar(&l.shape, "shape", "", "the tree to write: small, medium, large, or a file of 'inspect --shape' (default: as --keys grow)")
	f.BoolVar(&l.resume, "resume", false, "go on with a load that did not finish")
	f.BoolVar(&l.json, "json", false, "print the dataset's manifest as one line of JSON")
	choiceFlags(c, &l.choice)
	f.Lookup("engine").Usage = "engine: " + engineNames() + " (default: " + defaultLoadEngine + ", the published study's)"
	l.watch.register(c)
	return c
}

func (l *loadFlags) run(c *cobra.Command, dir string) error {
	if err := checkWorkers(l.workers); err != nil {
		return err
	}
	job, err := l.job(c, dir)
	if err != nil {
		return err
	}
	w, err := l.watch.begin(c)
	if err != nil {
		return err
	}
	defer w.end()
	w.watchLoad(job)
	if l.resume {
		err = job.Resume(c.Context())
	} else {
		err = job.New(c.Context())
	}
	w.meter.finish()
	if err != nil {
		return err
	}
	if l.json {
		return record.WriteLine(c.OutOrStdout(), job.Manifest)
	}
	how := "settled and closed"
	if job.Manifest.Build != "" {
		how = job.Manifest.Build
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s holds %s keys, %s: look at it with 'getio inspect %s'\n",
		dir, humanize.Comma(int64(job.Manifest.Keys)), how, dir)
	return err
}

// job prepares the load that the flags describe, or the one to resume.
func (l *loadFlags) job(c *cobra.Command, dir string) (*load.Job, error) {
	if l.resume {
		return l.resumed(c, dir)
	}
	if l.shaped || l.virtual {
		return l.buildJob(c, dir)
	}
	if l.shape != "" {
		return nil, errors.New("--shape needs --shaped or --virtual: a natural load takes the shape that it grows into")
	}
	m, err := l.manifest()
	if err != nil {
		return nil, err
	}
	job, err := newJob(dir, m, l.choice, l.workers)
	if err != nil {
		return nil, err
	}
	return job, checkBatch(m)
}

// checkBatch refuses batches that the libraries cannot take.
func checkBatch(m *dataset.Manifest) error {
	record := dataset.KeySize + m.ValueSize
	if bytes := m.Batch * record; bytes > maxBatchBytes {
		return fmt.Errorf("--batch %d makes batches of %s: take at most %d keys with values of this size",
			m.Batch, humanize.IBytes(uint64(bytes)), maxBatchBytes/record)
	}
	return nil
}

// newJob prepares a load with an engine and configuration chosen by name.
func newJob(dir string, m *dataset.Manifest, choice database.OpenOptions, workers int) (*load.Job, error) {
	if choice.Engine == "" {
		choice.Engine = defaultLoadEngine
	}
	e, err := engines.All().ByName(choice.Engine)
	if err != nil {
		return nil, err
	}
	cfg, err := engines.All().Configure(e, choice.Preset, choice.Options)
	if err != nil {
		return nil, err
	}
	m.Schema = dataset.Schema
	m.Engine, m.EngineVersion = e.Name(), e.Version()
	m.Preset, m.Options = cfg.Preset(), cfg.Effective()
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &load.Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: workers}, nil
}

// defaultLoadEngine is the published study's.
const defaultLoadEngine = "pebblev1"

func (l *loadFlags) manifest() (*dataset.Manifest, error) {
	if l.keys == "" {
		return nil, errors.New("load needs to know how many keys: say --keys N, like --keys 10M")
	}
	keys, err := parseCount("--keys", l.keys)
	if err != nil {
		return nil, err
	}
	if keys == 0 {
		return nil, errors.New("--keys 0 makes no dataset: take at least 1")
	}
	var batch int64
	if l.batch != "none" {
		if batch, err = parseCount("--batch", l.batch); err != nil || batch < 1 || batch > maxBatch {
			return nil, fmt.Errorf("--batch %q is out of range: take 1 to %d, or none", l.batch, maxBatch)
		}
	}
	return &dataset.Manifest{
		Keys: uint64(keys), Keyspace: l.keyspace, Values: l.values, ValueSize: l.size,
		Seed: l.seed, Order: l.order, Batch: int(batch),
	}, nil
}

// What the libraries take in one batch ends at 4 GiB, and each worker fills one.
const (
	maxBatch      = 1_000_000
	maxBatchBytes = 256 << 20
)

// resumed takes everything from the manifest of the load to go on with.
func (l *loadFlags) resumed(c *cobra.Command, dir string) (*load.Job, error) {
	for _, name := range []string{"keys", "keyspace", "values", "value-size", "order", "batch", "seed", "engine", "preset", "option", "shaped", "virtual", "shape"} {
		if c.Flags().Changed(name) {
			return nil, fmt.Errorf("--%s cannot be changed with --resume: the load goes on as it was begun", name)
		}
	}
	m, err := dataset.Read(dir)
	if errors.Is(err, dataset.ErrNoManifest) || errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s holds no load to go on with (no %s): begin one without --resume", dir, dataset.ManifestName)
	}
	if err != nil {
		return nil, err
	}
	if m.Complete {
		return nil, fmt.Errorf("%s is whole already: there is nothing to go on with", dir)
	}
	e, err := engines.All().ByName(m.Engine)
	if err != nil {
		return nil, err
	}
	cfg, err := e.Configure(m.Preset, database.Overrides(m.Options))
	if err != nil {
		return nil, err
	}
	return &load.Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: l.workers}, nil
}

// load shows how far a load is.
func (m *meter) load(s load.Stage) {
	if s.Phase == load.PhaseSettle {
		m.show("settle", uint64(s.Settling.CompactionsDone), 0, "compactions",
			fmt.Sprintf("%d under way, %s due", s.Settling.Compactions, humanize.IBytes(uint64(s.Settling.DebtBytes))))
		return
	}
	m.show(s.Phase, s.Done, s.Total, "keys", "")
}
