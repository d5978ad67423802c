package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine"
	"getio/engine/engines"
	pebblev1 "getio/engine/pebble/v1"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/workload"
	"getio/report"
)

// benchName is the name of the published study's tool.
const benchName = "bench_pebble"

// What the published tool fixes: its batches, values and warm-up.
const (
	benchBatch      = 1000
	benchValueSize  = 110
	benchWarmupPart = 2000 // of the keys
	benchPreset     = "bench_kvdb"
)

// benchLevelChecks is the log level from which the self-checks are printed.
const benchLevelChecks = 4

type benchFlags struct {
	init    bool
	batch   bool
	cache   int64 // MiB
	keys    uint64
	threads int
	writes  uint64
	reads   int64
	path    string
	level   int
}

func benchCommand() *cobra.Command {
	var b benchFlags
	c := &cobra.Command{
		Use:   benchName,
		Short: "The published study's tool: its flags and its log lines, on an unmodified Pebble v1",
		Long: `bench_pebble takes the flags of the published study's tool and prints its log
lines, so that scripts written for it run unchanged. It inserts (-i), updates
(-w) and reads (-r) keys of the keccak key space in the database at -p.

Unlike the published tool it needs no patched library, opens read-only for
reading, refuses a path that holds no database, and knows no smallest cache but
the library's own.`,
		Args:          noArguments,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return b.run(c) },
	}
	f := c.Flags()
	f.BoolVarP(&b.init, "i", "i", false, "insert all keys first")
	f.BoolVarP(&b.batch, "b", "b", true, "insert in batches")
	f.Int64VarP(&b.cache, "c", "c", 512, "block cache in MiB")
	f.Uint64VarP(&b.keys, "T", "T", 4_000_000_000, "number of keys of the database")
	f.IntVarP(&b.threads, "t", "t", 32, "concurrent threads")
	f.Uint64VarP(&b.writes, "w", "w", 0, "random updates")
	f.Int64VarP(&b.reads, "r", "r", 10_000_000, "random reads")
	f.StringVarP(&b.path, "p", "p", "./data/bench_pebble", "directory of the database")
	f.IntVarP(&b.level, "l", "l", 3, "log level; from 4 on the self-checks are printed too")
	return c
}

// run does what the published tool does, in its order. What a step prints goes
// out when the step has succeeded: a figure of a run that went wrong is none.
func (b *benchFlags) run(c *cobra.Command) error {
	if err := b.check(c); err != nil {
		return err
	}
	m := newMeter(c)
	defer m.finish()
	var out bytes.Buffer
	log := report.NewBenchLog(&out)
	log.Start(b.threads, b.keys, b.init, int64(b.writes), b.reads)
	for _, step := range []struct {
		wanted bool
		do     func(*cobra.Command, *report.BenchLog, *meter) error
	}{{b.init, b.insert}, {b.writes > 0, b.update}, {b.reads > 0, b.read}} {
		if !step.wanted {
			continue
		}
		err := step.do(c, log, m)
		m.finish()
		if err != nil {
			return err
		}
		if _, err := out.WriteTo(c.OutOrStdout()); err != nil {
			return err
		}
	}
	_, err := out.WriteTo(c.OutOrStdout())
	return err
}

// check refuses what cannot be meant, before anything is made.
func (b *benchFlags) check(c *cobra.Command) error {
	switch {
	case b.keys == 0:
		return errors.New("-T 0 is no number of keys: take at least 1")
	case b.cache < 1 || b.cache > 1<<26:
		return fmt.Errorf("-c %d is no cache size: take 1 MiB or more", b.cache)
	case b.threads < 1 || b.threads > maxWorkers:
		return fmt.Errorf("-t %d is out of range: take 1 to %d threads", b.threads, maxWorkers)
	case b.reads < 0:
		return fmt.Errorf("-r %d is no number of reads: take 0 or more", b.reads)
	}
	if err := checkMemory(b.cache << 20); b.init || err != nil {
		return err
	}
	root, m, err := database.Locate(b.path)
	if err != nil {
		return fmt.Errorf("%w, or insert keys with -i", err)
	}
	if m == nil {
		if b.writes > 0 {
			return fmt.Errorf("-w would change %s, which getio did not make: it only updates databases that bench_pebble -i or 'getio load' made", b.path)
		}
		_, err := pebblev1.Engine.Recognise(b.path)
		return err
	}
	if err := database.RequireComplete(root, m); err != nil {
		return err
	}
	switch {
	case m.Engine != pebblev1.Engine.Name():
		return fmt.Errorf("%s was written by %s, and bench_pebble reads with %s: use 'getio measure %s'", root, m.Engine, pebblev1.Engine.Name(), root)
	case m.Keyspace != dataset.KeyspaceKeccak:
		return fmt.Errorf("%s holds %s keys, and bench_pebble reads keccak keys: use 'getio measure %s'", root, m.Keyspace, root)
	case !c.Flags().Changed("T"):
		b.keys = m.Keys
	case b.keys > m.Keys:
		return fmt.Errorf("%s holds %d keys, fewer than -T %d: name at most as many as were inserted", root, m.Keys, b.keys)
	}
	return nil
}

// insert makes the dataset. Its database lies in the path itself, as the
// published tool has it.
func (b *benchFlags) insert(c *cobra.Command, log *report.BenchLog, meter *meter) error {
	m := &dataset.Manifest{
		Keys: b.keys, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32,
		ValueSize: benchValueSize, Seed: 1, Order: dataset.OrderRandom, DB: ".", Engine: pebblev1.Engine.Name(), Preset: benchPreset,
	}
	if b.batch {
		m.Batch = benchBatch
	}
	job, err := load.NewJob(engines.All(), b.path, m, nil, b.threads)
	if err != nil {
		return err
	}
	job.Progress = meter.load
	job.Written = func(w load.Written) {
		log.InitWrite(int64(w.Keys), w.Took)
		log.State(w.State)
	}
	return job.New(c.Context())
}

func (b *benchFlags) update(c *cobra.Command, log *report.BenchLog, meter *meter) error {
	root, m, err := database.Locate(b.path)
	if err != nil {
		return err
	}
	job, err := load.ExistingJob(engines.All(), root, m, defaultWorkers())
	if err != nil {
		return err
	}
	job.Progress = meter.load
	job.Written = func(w load.Written) {
		log.RandomUpdate(int64(w.Keys), w.Took)
	}
	return job.Update(c.Context(), b.writes, uint64(len(m.Updates))+1)
}

func (b *benchFlags) read(c *cobra.Command, log *report.BenchLog, meter *meter) error {
	d, err := database.Open(c.Context(), engines.All(), b.path, database.OpenOptions{Engine: pebblev1.Engine.Name()})
	if err != nil {
		return err
	}
	defer d.Close()
	gets, err := b.gets(d)
	if err != nil {
		return err
	}
	defer gets.Close()
	r, err := measure.Measure(c.Context(), d.Store, engine.OpenConfig{CacheBytes: b.cache << 20}, gets, measure.Options{
		Gets: b.reads, Warmup: measure.WarmupGets(int64(b.keys / benchWarmupPart)), Workers: b.threads,
		Keys: int64(b.keys), NoSplit: true, Progress: meter.measure, Observe: benchObserver{log},
	})
	var missing *workload.Missing
	if errors.As(err, &missing) && d.Manifest == nil {
		return fmt.Errorf("%w: name with -T as many keys as were inserted", err)
	}
	if err != nil {
		return err
	}
	if b.level >= benchLevelChecks {
		for _, check := range r.Checks {
			fmt.Fprintf(c.ErrOrStderr(), "check %s: %v (%s)\n", check.Name, check.OK, check.Detail)
		}
	}
	return believable(r)
}

// gets asks for the first -T keys; their values are known if getio wrote them.
func (b *benchFlags) gets(d *database.Database) (workload.Sequence, error) {
	keys, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, b.keys, 0)
	if err != nil {
		return nil, err
	}
	if d.Manifest == nil {
		return workload.Written(keys, nil, workload.Random{Seed: 1}), nil
	}
	values, err := d.Manifest.NewValues()
	if err != nil {
		return nil, err
	}
	return workload.Written(keys, values, workload.Random{Seed: 1}), nil
}

// benchObserver writes the log at the turns of a run.
type benchObserver struct{ log *report.BenchLog }

func (o benchObserver) WarmedUp(db engine.DB) { o.log.WarmedUp(db.Counts()) }

func (o benchObserver) Measured(db engine.DB, gets int64, took time.Duration) {
	o.log.RandomRead(db.Counts(), gets, took)
	o.log.State(db.State())
	o.log.CacheStatistics(db.Counts())
}
