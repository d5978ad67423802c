package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/measure/database"
	"getio/record"
)

// AutoOperations stands for as many operations as tell whether the run is steady.
const AutoOperations = -1

// Sweep measures operations with several caches.
type Sweep struct {
	Database   *database.Database
	Place      Place
	Operations []Operation
	// Skip, if set, is told of an operation that the chain cannot answer, which is then left
	// out. Without it such an operation is an error.
	Skip       func(Operation, error)
	Flat       bool // read flat state, not the tries
	Popularity Popularity
	Warmup     int64   // operations; AutoOperations: as many as Measured
	Measured   int64   // operations, or AutoOperations
	Caches     []int64 // sizes in bytes
	Shards     int     // 0: the library's choice
	Live       bool    // the database is a copy of one in use
	Journal    record.Journal
	Done       []*record.Chain // of an earlier command
	Progress   func(phase string, done, total uint64, unit, note string)
	Finish     func(*record.Chain) error // is called with each result, measured or done

	results []*record.Chain
}

// targetsCache is the block cache for drawing targets, in bytes.
const targetsCache = 64 << 20

// Run measures all operations. Together with an error, it returns what is finished.
func (s *Sweep) Run(ctx context.Context) ([]*record.Chain, error) {
	s.Journal.Total = len(s.Operations) * len(s.Caches)
	if err := s.all(ctx); err != nil {
		return s.results, s.Journal.Unfinished(err)
	}
	return s.results, nil
}

func (s *Sweep) all(ctx context.Context) error {
	draw, err := Open(s.Database.Store, s.Place, engine.OpenConfig{CacheBytes: targetsCache, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return err
	}
	defer draw.Close()
	var unanswerable *Unanswerable
	for at, o := range s.Operations {
		err := s.operation(ctx, draw, o, at)
		if s.Skip != nil && errors.As(err, &unanswerable) {
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
	for i, bytes := range s.Caches {
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
		which := fmt.Sprintf("run %d of %d", at*len(s.Caches)+i+1, s.Journal.Total)
		run.Progress = func(n int) {
			s.Progress(fmt.Sprintf("%s at %s", o, humanize.IBytes(uint64(bytes))), uint64(n), total, "operations", which)
		}
		result, err := run.Measure(ctx, s.Database.Store, s.Place, engine.OpenConfig{CacheBytes: bytes, Shards: s.Shards})
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
		if measured, err = draw.SteadyOperations(s.Database.Store, run.Operation, like, run.Flat); err != nil {
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
	r.Path, r.Live, r.Engine = s.Database.Dir, s.Live, s.Database.EngineRecord()
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
	return s.Finish(r)
}

// finished returns the result of the same run of an earlier command, nil without one.
func (s *Sweep) finished(draw *Chain, run Run, measured, bytes int64) *record.Chain {
	if len(s.Done) == 0 {
		return nil
	}
	want := &record.Chain{Workload: record.ChainWorkload{WarmupOperations: int64(run.Warmup), Operations: measured}}
	s.describe(want)
	for _, r := range s.Done {
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
	total, had := s.Database.Store.Shape().Total(), r.Shape.Total()
	return r.Path == want.Path && r.Live == want.Live && r.WALKeys == s.Database.Info().WALKeys &&
		had.Bytes == total.Bytes && had.Records == total.Records &&
		r.Engine.Name == want.Engine.Name && r.Engine.Version == want.Engine.Version && maps.Equal(r.Engine.Options, want.Engine.Options)
}

// sameShards reports whether the cache has the record's number of shards in this process,
// where the library chooses it.
func (s *Sweep) sameShards(r *record.Chain) bool {
	db, err := s.Database.Store.Open(engine.OpenConfig{CacheBytes: r.Cache.Bytes, Shards: s.Shards})
	if err != nil {
		return false
	}
	defer db.Close()
	return db.Cache().Shards == r.Cache.Shards
}
