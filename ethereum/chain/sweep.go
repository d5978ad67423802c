package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/ethereum/chaindata"
	"getio/measure/database"
	"getio/record"
	"getio/system/machine"
	"getio/tree/lsm"
)

// AutoOperations stands for as many operations as tell whether the run is steady.
const AutoOperations = -1

// MaxOperations is how many targets may be drawn for a run; they take some GiB.
const MaxOperations = 50_000_000

// Sweep measures operations with several caches.
type Sweep struct {
	Operations []Operation // none: all that the chain can answer
	// Skip is called with an operation that is left out because the chain cannot answer it. If
	// it is one of Operations, the sweep fails instead.
	Skip       func(Operation, error)
	Flat       bool // read flat state, not the tries
	Popularity Popularity
	Warmup     int64 // operations; AutoOperations: as many as Measured
	Measured   int64 // operations, or AutoOperations
	Caches     []lsm.CacheSize
	// RaiseCaches raises caches that the library would refuse to its least.
	RaiseCaches bool
	Shards      int    // 0: the library's choice
	Ancient     string // directory of the freezers; empty: in the chaindata
	Journal     record.Journal
	Progress    func(phase string, done, total uint64, unit, note string)

	database *database.Database
	place    Place
	caches   []int64         // in bytes
	live     bool            // the database is a copy of one in use
	done     []*record.Chain // of an earlier command
	all      bool            // operations that the chain cannot answer are left out
	results  []*record.Chain
}

// Run opens the chaindata in dir for reading and measures all operations. Together with an
// error, it returns what is finished. That counts if the error is an interruption; if the database
// turned out to be damaged, what was read of it before may be wrong.
func (s *Sweep) Run(ctx context.Context, engines engine.Registry, dir string, opts database.OpenOptions) ([]*record.Chain, error) {
	if s.Measured == 0 || s.Measured+s.Warmup > MaxOperations {
		return nil, fmt.Errorf("--ops %d after --warmup %d is out of range: want 1 to %d in all", s.Measured, s.Warmup, MaxOperations)
	}
	if s.all = len(s.Operations) == 0; s.all {
		s.Operations = Operations
	}
	s.live, s.Journal.Runs = opts.Live, "runs"
	var err error
	if s.done, err = s.Journal.Chains(); err != nil {
		return nil, err
	}
	if s.database, err = database.Open(ctx, engines, dir, opts); err != nil {
		return nil, err
	}
	defer s.database.Close()
	if err := s.prepare(dir); err != nil {
		return nil, err
	}
	s.Journal.Total = len(s.Operations) * len(s.caches)
	if err := s.run(ctx); err != nil {
		return s.results, s.Journal.Unfinished(err)
	}
	return s.results, nil
}

// prepare finds the freezers and the caches for the database.
func (s *Sweep) prepare(dir string) (err error) {
	d := s.database
	if d.Manifest != nil {
		return fmt.Errorf("%s is a dataset of random keys, not chaindata: name the chaindata directory of a node", dir)
	}
	if err := d.RequireOutside(s.Journal.Path, "--out"); err != nil {
		return err
	}
	if s.caches, err = lsm.CacheBytes(s.Caches, d.Store.Shape(), machine.FitsCache); err != nil {
		return err
	}
	if s.RaiseCaches {
		for i, bytes := range s.caches {
			s.caches[i] = max(bytes, d.Info().MinCacheBytes)
		}
		s.caches = slices.Compact(s.caches)
	}
	s.place = Place{Dir: d.Dir, Ancient: cmp.Or(s.Ancient, filepath.Join(d.Dir, chaindata.AncientDir)), InUse: s.live}
	if _, err := os.Stat(s.Ancient); s.Ancient != "" && err != nil {
		return fmt.Errorf("no freezer (%w): name the directory that contains chain with --ancient", err)
	}
	return nil
}

// targetsCache is the block cache for drawing targets, in bytes.
const targetsCache = 64 << 20

func (s *Sweep) run(ctx context.Context) error {
	draw, err := Open(s.database.Store, s.place, engine.OpenConfig{CacheBytes: targetsCache, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return err
	}
	defer draw.Close()
	var unanswerable *Unanswerable
	for at, o := range s.Operations {
		err := s.operation(ctx, draw, o, at)
		if s.all && errors.As(err, &unanswerable) {
			s.Skip(o, unanswerable)
			continue
		}
		if err != nil {
			return err
		}
	}
	if len(s.results) == 0 {
		return unanswerable
	}
	return nil
}

// operation measures one operation, the at-th, with each cache.
func (s *Sweep) operation(ctx context.Context, draw *Chain, o Operation, at int) error {
	run := Run{Operation: o, Flat: s.Flat && o.OfState()}
	warmup, measured, err := s.numbers(ctx, draw, run)
	if err != nil {
		return err
	}
	run.Warmup = int(warmup)
	total := uint64(warmup + measured)
	for i, bytes := range s.caches {
		if result := s.finished(draw, run, measured, bytes); result != nil {
			if err := s.finish(result, false); err != nil {
				return err
			}
			continue
		}
		if run.Targets == nil {
			run.Targets, err = draw.Targets(ctx, o, s.Popularity, int(total), func(n int) {
				s.Progress("draw "+string(o), uint64(n), total, "targets", "")
			})
			if err != nil {
				return err
			}
		}
		which := fmt.Sprintf("run %d of %d", at*len(s.caches)+i+1, s.Journal.Total)
		run.Progress = func(n int) {
			s.Progress(fmt.Sprintf("%s at %s", o, humanize.IBytes(uint64(bytes))), uint64(n), total, "operations", which)
		}
		result, err := run.Measure(ctx, s.database.Store, s.place, engine.OpenConfig{CacheBytes: bytes, Shards: s.Shards})
		if err != nil {
			return err
		}
		s.describe(result)
		if err := s.finish(result, true); err != nil {
			return err
		}
	}
	return nil
}

// probed is how many operations are tried to estimate the reads of one.
const probed = 200

// numbers returns how many operations to carry out before and while measuring.
func (s *Sweep) numbers(ctx context.Context, draw *Chain, run Run) (warmup, measured int64, err error) {
	warmup, measured = s.Warmup, s.Measured
	if measured == AutoOperations {
		like, err := draw.Targets(ctx, run.Operation, s.Popularity, probed, nil)
		if err != nil {
			return 0, 0, err
		}
		if measured, err = draw.SteadyOperations(s.database.Store, run.Operation, like, run.Flat); err != nil {
			return 0, 0, err
		}
	}
	if warmup == AutoOperations {
		warmup = measured
	}
	return warmup, measured, nil
}

// describe adds to a record where the chain is and how targets were drawn.
func (s *Sweep) describe(r *record.Chain) {
	r.Path, r.Live, r.Engine = s.database.Dir, s.live, s.database.EngineRecord()
	if warning := s.database.Info().Warning(); warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	w := &r.Workload
	if w.Distribution, w.Zipf, w.Seed = "uniform", s.Popularity.Zipf, s.Popularity.Seed; w.Zipf > 0 {
		w.Distribution = "zipf"
	}
}

func (s *Sweep) finish(r *record.Chain, measured bool) error {
	if err := s.Journal.Finish(r, measured); err != nil {
		return err
	}
	s.results = append(s.results, r)
	return nil
}

// finished returns the result of the same run of an earlier command, nil without one.
func (s *Sweep) finished(draw *Chain, run Run, measured, bytes int64) *record.Chain {
	if len(s.done) == 0 {
		return nil
	}
	want := &record.Chain{Workload: record.ChainWorkload{WarmupOperations: int64(run.Warmup), Operations: measured}}
	s.describe(want)
	for _, r := range s.done {
		if r.Operation == string(run.Operation) && r.Cache.Bytes == bytes && r.Workload == want.Workload && r.Head == draw.Head() &&
			(r.State == nil || (r.State.Read == "flat") == run.Flat) && r.Checks.Hold() && s.sameDatabase(r, want) && s.sameShards(r) {
			return r
		}
	}
	return nil
}

// sameDatabase reports whether the record describes the database as it is, read by the same
// library with the same options.
func (s *Sweep) sameDatabase(r, want *record.Chain) bool {
	total, had := s.database.Store.Shape().Total(), r.Shape.Total()
	return r.Path == want.Path && r.Live == want.Live && r.WALKeys == s.database.Info().WALKeys &&
		had.Bytes == total.Bytes && had.Records == total.Records &&
		r.Engine.Name == want.Engine.Name && r.Engine.Version == want.Engine.Version && maps.Equal(r.Engine.Options, want.Engine.Options)
}

// sameShards reports whether the cache has the record's number of shards in this process,
// where the library chooses it.
func (s *Sweep) sameShards(r *record.Chain) bool {
	db, err := s.database.Store.Open(engine.OpenConfig{CacheBytes: r.Cache.Bytes, Shards: s.Shards})
	if err != nil {
		return false
	}
	defer db.Close()
	return db.Cache().Shards == r.Cache.Shards
}
