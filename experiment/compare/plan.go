package compare

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/predict/advice"
	"getio/record"
	"getio/system/device"
	"getio/system/machine"
	"getio/tree/lsm"
)

// Plan is a comparison: with each cache, alternating runs of the same Gets on all sides.
type Plan struct {
	Sides   []Configuration // the base first
	Keys    database.KeySource
	Options measure.Options      // Gets 0: the number that the trees need
	Caches  []lsm.CacheSize      // shares are of the base's database; none: three shares
	Rounds  int                  // MinRounds to MaxRounds
	Shards  int                  // of the cache; 0: the library's choice
	Device  func() *device.Layer // a new one for each side; nil: none
	// Outputs are files that are written beside the journal, by the flag that names them.
	// They must lie outside the databases.
	Outputs map[string]string
	Journal record.Journal
	Watcher Watcher
	// Warn is called with what is suspicious about a side's database. It may be nil.
	Warn func(text string)

	// GethKey is a key that only geth writes: its databases have no default cache that geth cannot
	// be set to.
	GethKey []byte
	// Until is when the comparison should end, with MinRounds rounds at least; the zero Time does not
	// bound it.
	Until time.Time

	done  []*record.Result // of an earlier command
	share time.Time        // when the rounds with the present cache should end
}

// MaxRounds catches typing errors.
const MaxRounds = 1000

// Step is one run of a comparison.
type Step struct {
	Cache, Caches int // from 1 on
	CacheBytes    int64
	Round, Rounds int // from 1 on; Round is 0 while the warm-up is found out
	Side          string
}

// Watcher is shown a comparison under way.
type Watcher interface {
	// Begin is called once the databases are open. least is the number of Gets of a run that
	// a verdict needs. alike is the labels of two sides that read the same files in the same way;
	// empty if there are none.
	Begin(base *database.Database, runs int, gets, least int64, alike []string)
	Progress(Step, measure.Stage)
	// Finish is called with each result, measured now or earlier.
	Finish(*record.Result) error
	// FinishRound is called with the sides' results of a round in which a run was made.
	FinishRound(step Step, sides []Side)
}

// Findings are the results of a comparison.
type Findings struct {
	Results []*record.Result
	Lines   []*record.Comparison
	ByCache [][]Side
}

// Resume reads the runs that the journal has. It refuses to write another output over them.
func (p *Plan) Resume() (err error) {
	for flag, path := range p.Outputs {
		if path != "" && p.Journal.Path != "" && filepath.Clean(path) == filepath.Clean(p.Journal.Path) {
			return fmt.Errorf("%s and --out are the same file, %s: choose two files", flag, p.Journal.Path)
		}
	}
	p.Journal.Runs = "runs"
	p.done, err = p.Journal.Results()
	// Runs that timed single Gets took processor time that the others do not.
	p.done = slices.DeleteFunc(p.done, func(r *record.Result) bool { return r.Latency != nil || r.Distribution != nil })
	return err
}

// Run opens all sides and makes the runs with each cache in turn.
func (p *Plan) Run(ctx context.Context, engines engine.Registry) (*Findings, error) {
	databases, err := p.open(ctx, engines)
	defer func() {
		for _, d := range databases {
			d.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	caches, err := p.cacheBytes(databases)
	if err != nil {
		return nil, err
	}
	var stores []engine.Store
	for _, d := range databases {
		stores = append(stores, d.Store)
	}
	if p.Options.Gets == 0 {
		p.Options.Gets = measure.RoundGets(stores...)
	}
	p.Journal.Total = len(caches) * len(p.Sides) * p.Rounds
	p.Watcher.Begin(databases[0], p.Journal.Total, p.Options.Gets, measure.VerdictGets(stores...), p.alike(databases))
	sweeps := p.sweeps(databases)
	whole := measure.NewWhole(p.Journal.Total, databases[0].Store.Shape(), p.Options, caches[0])
	for _, s := range sweeps {
		s.Whole = whole
	}
	found := &Findings{}
	for i, bytes := range caches {
		if until := p.Until; !until.IsZero() {
			p.share = time.Now().Add(time.Until(until) / time.Duration(len(caches)-i))
		}
		sides, err := p.alternate(ctx, sweeps, Step{Cache: i + 1, Caches: len(caches), CacheBytes: bytes, Rounds: p.Rounds}, found)
		if err != nil {
			return nil, p.Journal.Unfinished(err)
		}
		found.add(sides)
	}
	for _, line := range found.Lines {
		if err := p.Journal.AddMissing(line); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// open opens the sides' databases and refuses those that cannot be compared. The caller
// closes those it returns, also after an error.
func (p *Plan) open(ctx context.Context, engines engine.Registry) (databases []*database.Database, err error) {
	for _, s := range p.Sides {
		d, err := database.Open(ctx, engines, s.Dir, s.Choice)
		if err != nil {
			return databases, err
		}
		databases = append(databases, d)
		if text := d.Info().Warning(); text != "" && p.Warn != nil {
			p.Warn(text)
		}
		if s.LastLevelFilters {
			if err := d.RequireUnconsultedFilters(settingLastFilter); err != nil {
				return databases, err
			}
		}
		if err := database.SameKeys(databases[0], d, p.Keys); err != nil {
			return databases, err
		}
		if err := d.RequireOutside(p.Journal.Path, "--out"); err != nil {
			return databases, err
		}
		for flag, path := range p.Outputs {
			if err := d.RequireOutside(path, flag); err != nil {
				return databases, err
			}
		}
	}
	return databases, nil
}

// cacheBytes returns the caches that all sides can have, ascending.
func (p *Plan) cacheBytes(databases []*database.Database) (caches []int64, err error) {
	base, floor := databases[0].Store.Shape(), int64(0)
	for _, d := range databases {
		floor = max(floor, d.Store.Info().MinCacheBytes)
	}
	if len(p.Caches) == 0 {
		if least, err := advice.ClientLeast(databases[0], p.GethKey); err == nil {
			floor = max(floor, least)
		}
		return p.defaultCaches(base.Total().Bytes, floor), nil
	}
	if caches, err = lsm.CacheBytes(p.Caches, base, machine.FitsCache); err != nil {
		return nil, err
	}
	if caches[0] < floor {
		return nil, fmt.Errorf("a cache of %s is too small for one of the sides: take at least %s", humanize.IBytes(uint64(caches[0])), units.Exact(floor))
	}
	return caches, nil
}

// defaultShares are shares of the base's database. The first three that all sides can have
// are the default caches.
var defaultShares = []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}

func (p *Plan) defaultCaches(bytes, floor int64) (caches []int64) {
	for _, share := range defaultShares {
		n := int64(share * float64(bytes))
		if n >= floor && len(caches) < 3 && machine.FitsCache(n) == nil {
			caches = append(caches, n)
		}
	}
	if len(caches) == 0 {
		caches = append(caches, floor)
	}
	return slices.Compact(caches)
}

// sweeps returns the sweep of each side, without the size of its cache.
func (p *Plan) sweeps(databases []*database.Database) (sweeps []*measure.Sweep) {
	for i, d := range databases {
		open := engine.OpenConfig{Shards: p.Shards, LastLevelFilters: p.Sides[i].LastLevelFilters}
		if p.Device != nil {
			open.Device = p.Device()
		}
		sweeps = append(sweeps, &measure.Sweep{Database: d, Keys: p.Keys, Done: p.done, Caches: []engine.OpenConfig{open}})
	}
	return sweeps
}

// alternate makes the runs with one cache.
func (p *Plan) alternate(ctx context.Context, sweeps []*measure.Sweep, step Step, found *Findings) ([]Side, error) {
	options := p.Options
	options.Progress = func(stage measure.Stage) { p.Watcher.Progress(step, stage) }
	inRound := make([]Side, len(sweeps))
	for i, s := range sweeps {
		s.Caches[0].CacheBytes, s.Options = step.CacheBytes, options
		inRound[i].Label = p.Sides[i].Label
	}
	measuredNow := false // a run of the round was made now
	alternation := measure.Alternation{Sides: sweeps, Rounds: p.Rounds, Until: p.share, LeastRounds: MinRounds}
	alternation.Begin = func(round, side int) { step.Round, step.Side = round, p.Sides[side].Label }
	alternation.Each = func(round, side int, r *record.Result, measured bool) error {
		if measured {
			r.ComparisonRun = &record.ComparisonRun{Side: p.Sides[side].Label, Round: round, Rounds: p.Rounds}
		}
		if err := p.Journal.Finish(r, measured); err != nil {
			return err
		}
		found.Results = append(found.Results, r)
		inRound[side].Runs, measuredNow = []*record.Result{r}, measuredNow || measured
		if err := p.Watcher.Finish(r); err != nil {
			return err
		}
		if len(found.Results)%len(sweeps) == 0 && measuredNow {
			p.Watcher.FinishRound(step, inRound)
			measuredNow = false
		}
		return nil
	}
	runs, err := alternation.Run(ctx)
	if err != nil {
		return nil, err
	}
	sides := make([]Side, len(runs))
	for i := range sides {
		sides[i] = Side{Label: p.Sides[i].Label, Runs: runs[i]}
	}
	return sides, nil
}

// add compares the sides' runs with one cache.
func (f *Findings) add(sides []Side) {
	f.ByCache = append(f.ByCache, sides)
	for _, s := range sides[1:] {
		f.Lines = append(f.Lines, Lines(sides[0], s)...)
	}
}

// alike returns the labels of two sides between which only chance makes a difference.
func (p *Plan) alike(databases []*database.Database) []string {
	for i, a := range databases {
		for j, b := range databases[:i] {
			if a.SameReads(b) && p.Sides[i].LastLevelFilters == p.Sides[j].LastLevelFilters {
				return []string{p.Sides[j].Label, p.Sides[i].Label}
			}
		}
	}
	return nil
}
