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
	"time"

	"github.com/dustin/go-humanize"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/lsm"
	"getio/measure/database"
	"getio/record"
	"getio/system/cputime"
	"getio/system/machine"
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
	Warmup     int64 // operations; AutoOperations: until the cache is full, as many as Measured at most
	Measured   int64 // operations, or AutoOperations
	Caches     []lsm.CacheSize
	// RaiseCaches raises caches that are smaller than geth's smallest one to that.
	RaiseCaches bool
	Limit       database.TimeLimit
	Shards      int    // 0: the library's choice
	Ancient     string // directory of the freezers; empty: in the chaindata
	Journal     record.Journal
	Progress    func(phase string, done, total uint64, unit, note string)

	database *database.Database
	until    time.Time
	place    Place
	caches   []int64         // in bytes
	live     bool            // the database is a copy of one in use
	done     []*record.Chain // of an earlier command
	all      bool            // operations that the chain cannot answer are left out
	results  []*record.Chain
}

// Auto reports whether the sweep itself finds out how many operations its runs have.
func (s *Sweep) Auto() bool { return s.Measured == AutoOperations && s.Warmup == AutoOperations }

// Check refuses to bound runs both in operations and in time.
func (s *Sweep) Check() error {
	if s.Limit.Until.IsZero() || s.Auto() {
		return nil
	}
	name := "ops"
	if s.Measured == AutoOperations {
		name = "warmup"
	}
	return fmt.Errorf("--%s cannot be combined with --time: leave one out", name)
}

// Run opens the chaindata in dir for reading and measures all operations. Together with an
// error, it returns what is finished. That counts if the error is an interruption; if the database
// turned out to be damaged, what was read of it before may be wrong.
func (s *Sweep) Run(ctx context.Context, engines engine.Registry, dir string, opts database.OpenOptions) ([]*record.Chain, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
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
	s.until = s.Limit.Of(s.database)
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
	if s.caches, err = lsm.CacheBytes(s.Caches, d.CacheBytes, machine.FitsCache); err != nil {
		return err
	}
	if s.RaiseCaches {
		client, err := d.Client()
		if err != nil {
			return err
		}
		for i, bytes := range s.caches {
			s.caches[i] = max(bytes, client.Floor, client.Least())
		}
		s.caches = slices.Compact(s.caches)
	}
	s.place = Place{Dir: d.Dir, Ancient: cmp.Or(s.Ancient, filepath.Join(d.Dir, chaindata.AncientDir)), InUse: s.live}
	if _, err := os.Stat(s.Ancient); s.Ancient != "" && err != nil {
		return fmt.Errorf("no freezer (%w): name the directory that contains chain with --ancient", err)
	}
	return nil
}

// shards returns the number of shards that a cache has in this process, where the library chooses it. A cache
// that is too small is an error of the engine.
func (s *Sweep) shards(cacheBytes int64) (int, error) {
	db, err := s.database.Store.Open(engine.OpenConfig{CacheBytes: cacheBytes, Shards: s.Shards})
	if err != nil {
		return 0, err
	}
	return db.Cache().Shards, db.Close()
}

func (s *Sweep) run(ctx context.Context) error {
	draw, err := OpenToDraw(s.database.Store, s.place)
	if err != nil {
		return err
	}
	defer draw.Close()
	if _, err := s.shards(slices.Min(s.caches)); err != nil { // before anything is said or done
		return err
	}
	var unanswerable *Unanswerable
	for _, o := range s.Operations {
		err := s.operation(ctx, draw, o)
		if s.all && errors.As(err, &unanswerable) {
			s.Skip(o, unanswerable)
			s.Journal.Total -= len(s.caches)
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

func (s *Sweep) operation(ctx context.Context, draw *Chain, o Operation) error {
	run := Run{Operation: o, Flat: s.Flat && o.OfState()}
	n, err := s.numbers(ctx, draw, run)
	if err != nil {
		return err
	}
	run.Warmup, run.UntilFull, run.Operations = int(n.warmup), n.auto, int(n.measured)
	var list *targets
	for _, bytes := range s.caches {
		if result := s.finished(draw, run, bytes); result != nil {
			if err := s.finish(result, false); err != nil {
				return err
			}
			continue
		}
		if list == nil {
			if list, err = draw.newTargets(o, s.Popularity); err != nil {
				return err
			}
		}
		if !n.auto {
			total := n.warmup + n.measured
			if _, err = list.first(ctx, int(total), func(drawn int) {
				s.Progress("draw "+string(o), uint64(drawn), uint64(total), "targets", "")
			}); err != nil {
				return err
			}
		}
		run.Targets = func(n int) ([]Target, error) { return list.first(ctx, n, nil) }
		if left := s.Journal.Total - s.Journal.Finished(); !s.until.IsZero() {
			run.Until = time.Now().Add(time.Until(s.until) / time.Duration(max(left, 1)))
			run.Windows = n.windows(time.Until(run.Until))
		}
		which := fmt.Sprintf("%s at %s", o, humanize.IBytes(uint64(bytes)))
		run.Progress = func(made int) {
			share := float64(made) / float64(max(int64(made), n.expected()))
			s.Progress("chain measure", uint64(1000*(float64(s.Journal.Finished())+share)/float64(s.Journal.Total)), 1000, "", which)
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

// describe adds to a record where the chain is and how targets were drawn.
func (s *Sweep) describe(r *record.Chain) {
	r.Path, r.Live, r.Engine = s.database.Dir, s.live, s.database.EngineRecord()
	r.Warnings = append(r.Warnings, s.database.Info().Warnings()...)
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
func (s *Sweep) finished(draw *Chain, run Run, bytes int64) *record.Chain {
	if len(s.done) == 0 {
		return nil
	}
	want := &record.Chain{Workload: record.ChainOperations{WarmupOperations: int64(run.Warmup), Operations: int64(run.Operations)}}
	s.describe(want)
	for _, r := range s.done {
		if run.UntilFull {
			want.Workload.WarmupOperations = r.Workload.WarmupOperations
		}
		if r.Operation == string(run.Operation) && r.Cache.Bytes == bytes && r.Workload == want.Workload && r.Head == draw.Head() &&
			(r.State == nil || (r.State.Read == "flat") == run.Flat) && r.Checks.Hold() && s.sameDatabase(r, want) {
			if n, err := s.shards(bytes); err == nil && n == r.Cache.Shards {
				return r
			}
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

// probed is how many operations are tried to estimate the reads of one.
const probed = 200

// operations are how many operations a run carries out.
type operations struct {
	warmup, measured int64
	auto             bool          // the warm-up may end sooner
	each             time.Duration // processor time of one, if it was seen
}

// expected returns about how many operations a run makes.
func (n operations) expected() int64 {
	if n.auto {
		return n.measured + n.warmup/5
	}
	return n.measured + n.warmup
}

const (
	// measuredShare is the share of a run's time in which its measured operations are made.
	measuredShare = 0.5
	// leastWindow is how many operations a window has at least: few reads in it show a full cache.
	leastWindow = 100
)

// windows returns the number of windows to divide the measured operations into, so that twenty of them fit in the
// given time.
func (n operations) windows(time time.Duration) int {
	needed := float64(n.measured) * float64(n.each)
	most := max(float64(n.measured)/leastWindow, windows)
	return int(min(max(windows, windows*needed/max(measuredShare*float64(time), 1)), most))
}

// numbers returns how many operations to carry out before and while measuring.
func (s *Sweep) numbers(ctx context.Context, draw *Chain, run Run) (operations, error) {
	n := operations{warmup: s.Warmup, measured: s.Measured}
	if n.measured == AutoOperations {
		like, err := draw.Targets(ctx, run.Operation, s.Popularity, probed)
		if err != nil {
			return n, err
		}
		spent := cputime.StartTimer()
		if n.measured, err = draw.SteadyOperations(s.database.Store, run.Operation, like, run.Flat); err != nil {
			return n, err
		}
		n.each = spent().CPU / probed
	}
	if n.auto = n.warmup == AutoOperations; n.auto {
		n.warmup = n.measured
	}
	return n, nil
}
