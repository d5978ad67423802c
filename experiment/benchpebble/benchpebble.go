// Package benchpebble does what the tool of the published study of Pebble v1.1.5 does: it inserts, updates and reads
// keys of the keccak key space, with an unmodified Pebble v1.
package benchpebble

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"getio/engine"
	"getio/engine/engines"
	pebblev1 "getio/engine/pebble/v1"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/system/machine"
	"getio/workload"
	"getio/workload/dataset"
)

// Name is the tool's name.
const Name = "bench_pebble"

// What the published tool fixes.
const (
	batch      = 1000
	valueSize  = 110
	warmupPart = 2000 // of the keys
)

// Options are the tool's flags, in its order, and who is shown a run under way.
type Options struct {
	Insert   bool   // -i
	Batches  bool   // -b
	CacheMiB int64  // -c
	Keys     uint64 // -T
	AnyKeys  bool   // Keys is a default: a dataset of getio determines them
	Threads  int    // -t
	Writes   uint64 // -w
	Reads    int64  // -r
	Path     string // -p

	Loading func(load.Stage)
	Reading func(measure.Stage)
	// Finish is called after each step; its log counts only then. r is the result of the
	// reads, and nil after other steps.
	Finish func(r *record.Result) error
}

// Run inserts, updates and reads, as far as requested.
func Run(ctx context.Context, o Options, log *Log) error {
	if err := o.check(); err != nil {
		return err
	}
	log.Start(o.Threads, o.Keys, o.Insert, int64(o.Writes), o.Reads)
	if o.Insert {
		if err := o.insert(ctx, log); err != nil {
			return err
		}
	}
	if o.Writes > 0 {
		if err := o.update(ctx, log); err != nil {
			return err
		}
	}
	if o.Reads > 0 {
		return o.read(ctx, log)
	}
	return o.Finish(nil)
}

// Dataset describes what the tool inserts.
func Dataset(keys uint64) *dataset.Manifest {
	return &dataset.Manifest{
		Engine: pebblev1.Engine.Name(), Preset: "bench_kvdb", Keys: keys, Keyspace: dataset.KeyspaceKeccak,
		Values: dataset.ValuesPool32, ValueSize: valueSize, Seed: 1, Order: dataset.OrderRandom, Batch: batch,
	}
}

// insert makes the dataset, with its database in the path itself.
func (o *Options) insert(ctx context.Context, log *Log) error {
	m := Dataset(o.Keys)
	m.DB = "."
	if !o.Batches {
		m.Batch = 0
	}
	job, err := load.NewJob(engines.All(), o.Path, m, nil, o.Threads)
	if err != nil {
		return err
	}
	job.Progress = o.Loading
	job.Written = func(w load.Written) {
		log.InitWrite(int64(w.Keys), w.Took)
		log.State(w.State)
	}
	if err := job.New(ctx); err != nil {
		return err
	}
	return o.Finish(nil)
}

func (o *Options) update(ctx context.Context, log *Log) error {
	root, m, err := database.Locate(o.Path)
	if err != nil {
		return err
	}
	job, err := load.ExistingJob(engines.All(), root, m, runtime.NumCPU())
	if err != nil {
		return err
	}
	job.Progress = o.Loading
	job.Written = func(w load.Written) { log.RandomUpdate(int64(w.Keys), w.Took) }
	if err := job.Update(ctx, o.Writes, uint64(len(m.Updates))+1); err != nil {
		return err
	}
	return o.Finish(nil)
}

func (o *Options) read(ctx context.Context, log *Log) error {
	d, err := database.Open(ctx, engines.All(), o.Path, database.OpenOptions{Engine: pebblev1.Engine.Name()})
	if err != nil {
		return err
	}
	defer d.Close()
	gets, err := o.gets(d)
	if err != nil {
		return err
	}
	defer gets.Close()
	r, err := measure.Measure(ctx, d.Store, engine.OpenConfig{CacheBytes: o.CacheMiB << 20}, gets, measure.Options{
		Workload: workload.Workload{Gets: o.Reads, Warmup: workload.WarmupGets(int64(o.Keys / warmupPart)), Workers: o.Threads},
		Counted:  measure.Counted{NoSplit: true}, TotalKeys: int64(o.Keys), Progress: o.Reading, Observe: observer{log},
	})
	if _, missing := errors.AsType[*keysource.Missing](err); missing && d.Manifest == nil {
		return fmt.Errorf("%w: name with -T as many keys as were inserted", err)
	}
	if err != nil {
		return err
	}
	return o.Finish(r)
}

// gets are Gets of the first -T keys; their values are known if getio wrote them.
func (o *Options) gets(d *database.Database) (keysource.Sequence, error) {
	keys, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, o.Keys, 0)
	if err != nil {
		return nil, err
	}
	var values *dataset.Values
	if d.Manifest != nil {
		if values, err = d.Manifest.NewValues(); err != nil {
			return nil, err
		}
	}
	return keysource.Written(keys, values, workload.Keys{Seed: 1}), nil
}

// observer writes the log of a run of reads.
type observer struct{ log *Log }

func (o observer) WarmedUp(db engine.DB) { o.log.WarmedUp(db.Counts()) }

func (o observer) Measured(db engine.DB, gets int64, took time.Duration) {
	o.log.RandomRead(db.Counts(), gets, took)
	o.log.State(db.State())
	o.log.CacheStatistics(db.Counts())
}

// Limits against typing errors.
const (
	maxThreads  = 4096
	maxCacheMiB = 1 << 26
)

// check refuses what cannot succeed, before anything is made. It sets the number of keys of a
// dataset that determines it.
func (o *Options) check() error {
	switch {
	case o.Keys == 0:
		return errors.New("invalid -T 0: want at least 1 key")
	case o.CacheMiB < 1 || o.CacheMiB > maxCacheMiB:
		return fmt.Errorf("invalid -c %d: want a cache of 1 to %d MiB", o.CacheMiB, maxCacheMiB)
	case o.Threads < 1 || o.Threads > maxThreads:
		return fmt.Errorf("invalid -t %d: want 1 to %d threads", o.Threads, maxThreads)
	case o.Reads < 0:
		return fmt.Errorf("invalid -r %d: want 0 reads or more", o.Reads)
	}
	if err := machine.FitsCache(o.CacheMiB << 20); o.Insert || err != nil {
		return err
	}
	return o.checkDatabase()
}

func (o *Options) checkDatabase() error {
	root, m, err := database.Locate(o.Path)
	switch {
	case err != nil:
		return fmt.Errorf("%w, or insert keys with -i", err)
	case m == nil && o.Writes > 0:
		return fmt.Errorf("-w would change %s, which getio did not make: it only updates databases that bench_pebble -i or 'getio load' made", o.Path)
	case m == nil:
		_, err := pebblev1.Engine.Recognise(o.Path)
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
	case o.AnyKeys:
		o.Keys = m.Keys
	case o.Keys > m.Keys:
		return fmt.Errorf("%s holds %d keys, fewer than -T %d: name at most as many as were inserted", root, m.Keys, o.Keys)
	}
	return nil
}
