package compare

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/lsm"
	"getio/experiment/cell"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/system/machine"
	"getio/workload/trace"
)

// Plan is a comparison: with each cache, alternating runs of the same Gets on all sides.
type Plan struct {
	Sides   []Configuration // the base first
	Options measure.Options // Gets 0: the number that the trees need
	Trace   *trace.File     // whose operations are repeated; nil if the keys are not a trace's
	Caches  []lsm.CacheSize // shares are of the base's database; none: three shares
	Rounds  int             // MinRounds to MaxRounds
	Shards  int             // of the cache; 0: the library's choice
	Device  cell.Device
	// Fits refuses a cache that does not fit in memory; nil checks this machine's memory.
	Fits func(bytes int64) error
	// Outputs are files that are written beside the journal, by the flag that names them.
	// They must lie outside the databases.
	Outputs map[string]string
	Journal record.Journal
	Watcher Watcher
	// Complete fills in what a comparison does not know of a side's result; may be nil.
	Complete func(side int, r *record.Result)
	// Warn is called with what is suspicious about a side's database, and with runs in the journal that cannot
	// be used. It may be nil.
	Warn func(text string)

	// Limit bounds the comparison, which makes MinRounds rounds with each cache at least.
	Limit database.TimeLimit

	done  []*record.Result // of an earlier command
	until time.Time        // when the comparison should end
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
	// FinishRound is called with the results of the sides, in their order, of a round in which a run was made.
	FinishRound(step Step, runs []*record.Result)
	// End is called when all runs are finished. The journal knows which were made by an earlier command.
	End(*record.Journal)
}

// Findings are the results of a comparison.
type Findings struct {
	Results []*record.Result
	Lines   []*record.Comparison
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
	compared := func(r *record.Result) bool { return r.ComparisonRun != nil }
	if n := len(p.done); n > 0 && !slices.ContainsFunc(p.done, compared) && p.Warn != nil {
		p.Warn(fmt.Sprintf("%s does not say which sides its %s are of, as files of older versions do not: it keeps them, and the comparison starts from the beginning",
			p.Journal.Path, units.Plural(int64(n), "run")))
	}
	return err
}

// Run opens all sides and makes the runs with each cache in turn.
func (p *Plan) Run(ctx context.Context, engines engine.Registry) (*Findings, error) {
	databases, err := p.Open(ctx, engines)
	defer database.CloseAll(databases)
	if err != nil {
		return nil, err
	}
	p.until = p.Limit.Of(databases...)
	cells, err := p.Cells(databases)
	if err != nil {
		return nil, err
	}
	return p.RunCells(ctx, databases, cells)
}

// Cells returns the rounds with each cache as cells, without their datasets. databases are those of the
// sides.
func (p *Plan) Cells(databases []*database.Database) (cells []cell.Cell, err error) {
	caches, err := p.cacheBytes(databases)
	if err != nil {
		return nil, err
	}
	if p.Options.Gets == 0 {
		p.Options.Gets = measure.RoundGets(stores(databases)...)
	}
	like := cell.Cell{Experiment: cell.Compare, Rounds: p.Rounds, Workload: p.Options.Workload, Counted: p.Options.Counted, Device: p.Device}
	for _, s := range p.Sides {
		like.Sides = append(like.Sides, cell.Side{
			Label: s.Label, Engine: s.Choice.Engine, Preset: s.Choice.Preset, Options: s.Choice.Options,
			LastLevelFilters: s.LastLevelFilters, Shards: p.Shards,
		})
	}
	for _, bytes := range caches {
		for round := range p.Rounds {
			c := like
			c.CacheBytes, c.Round = bytes, round+1
			cells = append(cells, c)
		}
	}
	return cells, nil
}

// RunCells runs cells of one comparison, all of them or some: rounds with one cache follow one another.
// databases are those of the sides. Sides are compared with caches of which all rounds are made.
func (p *Plan) RunCells(ctx context.Context, databases []*database.Database, cells []cell.Cell) (*Findings, error) {
	caches := byCache(cells)
	first := &cells[0]
	p.Journal.Total = len(cells) * len(first.Sides)
	p.Watcher.Begin(databases[0], p.Journal.Total, first.Workload.Gets, measure.VerdictGets(stores(databases)...), alike(databases, first.Sides))
	sweeps := p.sweeps(databases, first)
	found := &Findings{}
	for i, rounds := range caches {
		if !p.until.IsZero() {
			p.share = time.Now().Add(time.Until(p.until) / time.Duration(len(caches)-i))
		}
		sides, err := p.alternate(ctx, sweeps, rounds, Step{Cache: i + 1, Caches: len(caches), CacheBytes: rounds[0].CacheBytes, Rounds: first.Rounds}, found)
		if err != nil {
			return nil, p.Journal.Unfinished(err)
		}
		if rounds[0].Round == 1 && len(sides[0].Runs) >= MinRounds {
			found.add(sides)
		}
	}
	p.Watcher.End(&p.Journal)
	for _, line := range found.Lines {
		if err := p.Journal.AddMissing(line); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// byCache divides cells into those with one cache.
func byCache(cells []cell.Cell) (caches [][]cell.Cell) {
	for from, to := 0, 0; from < len(cells); from = to {
		for to = from; to < len(cells) && cells[to].CacheBytes == cells[from].CacheBytes; to++ {
		}
		caches = append(caches, cells[from:to])
	}
	return caches
}

func stores(databases []*database.Database) (all []engine.Store) {
	for _, d := range databases {
		all = append(all, d.Store)
	}
	return all
}

// Open opens the sides' databases and refuses those that cannot be compared. The caller
// closes those it returns, also after an error.
func (p *Plan) Open(ctx context.Context, engines engine.Registry) (databases []*database.Database, err error) {
	for _, s := range p.Sides {
		d, err := database.Open(ctx, engines, s.Dir, s.Choice)
		if err != nil {
			return databases, err
		}
		databases = append(databases, d)
		for _, text := range d.Info().Warnings() {
			if p.Warn != nil {
				p.Warn(text)
			}
		}
		if s.LastLevelFilters {
			if err := d.RequireUnconsultedFilters(settingLastFilter); err != nil {
				return databases, err
			}
		}
		err = cmp.Or(database.SameKeys(databases[0], d, p.Options.Keys), d.RequireOutside(p.Journal.Path, "--out"))
		for flag, path := range p.Outputs {
			err = cmp.Or(err, d.RequireOutside(path, flag))
		}
		if err != nil {
			return databases, err
		}
	}
	return databases, nil
}

// cacheBytes returns the caches that all sides can have, ascending.
func (p *Plan) cacheBytes(databases []*database.Database) (caches []int64, err error) {
	fits := p.Fits
	if fits == nil {
		fits = machine.FitsCache
	}
	base, floor := databases[0].Store.Shape(), int64(0)
	for _, d := range databases {
		floor = max(floor, d.Store.Info().MinCacheBytes)
	}
	if len(p.Caches) == 0 {
		if client, err := databases[0].Client(); err == nil {
			floor = max(floor, client.Least())
		}
		return defaultCaches(base.Total().Bytes, floor, fits), nil
	}
	if caches, err = lsm.CacheBytes(p.Caches, databases[0].CacheBytes, fits); err != nil {
		return nil, err
	}
	if caches[0] < floor {
		return nil, fmt.Errorf("a cache of %s is too small for one of the sides: take --cache %s or more", humanize.IBytes(uint64(caches[0])), units.Exact(floor))
	}
	return caches, nil
}

// defaultShares are shares of the base's database. The first three that all sides can have
// are the default caches.
var defaultShares = []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5}

func defaultCaches(bytes, floor int64, fits func(int64) error) (caches []int64) {
	for _, share := range defaultShares {
		n := int64(share * float64(bytes))
		if n >= floor && len(caches) < 3 && fits(n) == nil {
			caches = append(caches, n)
		}
	}
	if len(caches) == 0 {
		caches = append(caches, floor)
	}
	return slices.Compact(caches)
}

// sweeps returns the sweep of each side, as in a cell, without its caches and options, which alternate sets.
func (p *Plan) sweeps(databases []*database.Database, like *cell.Cell) (sweeps []*measure.Sweep) {
	whole := measure.NewWhole(p.Journal.Total)
	for i, d := range databases {
		sweeps = append(sweeps, &measure.Sweep{Database: d, Trace: p.Trace, Done: p.doneOf(like.Sides[i].Label), Whole: whole})
	}
	return sweeps
}

// doneOf returns the runs that the journal has of a side. Two sides may be the same database, read in the same way: a run
// of one is not a run of the other.
func (p *Plan) doneOf(label string) (runs []*record.Result) {
	for _, r := range p.done {
		if r.ComparisonRun != nil && r.ComparisonRun.Side == label {
			runs = append(runs, r)
		}
	}
	return runs
}

// alternate makes rounds with one cache.
func (p *Plan) alternate(ctx context.Context, sweeps []*measure.Sweep, rounds []cell.Cell, step Step, found *Findings) ([]Side, error) {
	first, last := &rounds[0], &rounds[len(rounds)-1]
	options := first.Options()
	options.Progress = func(stage measure.Stage) { p.Watcher.Progress(step, stage) }
	inRound := make([]*record.Result, len(sweeps))
	for i, s := range sweeps {
		s.Options, s.Caches = options, []engine.OpenConfig{first.Open(i, first.Device.Layer())}
	}
	measuredNow := false // a run of the round was made now
	alternation := measure.Alternation{Sides: sweeps, First: first.Round, Rounds: last.Round, Until: p.share, LeastRounds: MinRounds}
	alternation.Begin = func(round, side int) { step.Round, step.Side = round, first.Sides[side].Label }
	alternation.Each = func(round, side int, r *record.Result, measured bool) error {
		if measured {
			r.ComparisonRun = &record.ComparisonRun{Side: first.Sides[side].Label, Round: round, Rounds: first.Rounds}
			if p.Complete != nil {
				p.Complete(side, r)
			}
		}
		if err := p.Journal.Finish(r, measured); err != nil {
			return err
		}
		found.Results = append(found.Results, r)
		inRound[side], measuredNow = r, measuredNow || measured
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
		sides[i] = Side{Label: first.Sides[i].Label, Runs: runs[i]}
	}
	return sides, nil
}

// Together returns what follows from the results of all cells, in their order.
func Together(results []*record.Result) *Findings {
	found := &Findings{Results: results}
	var sides []Side
	for i, r := range results {
		side := slices.IndexFunc(sides, func(s Side) bool { return s.Label == r.ComparisonRun.Side })
		if side < 0 { // in the first round, they come in their order
			side = len(sides)
			sides = append(sides, Side{Label: r.ComparisonRun.Side})
		}
		sides[side].Runs = append(sides[side].Runs, r)
		if i+1 == len(results) || results[i+1].Cache.Bytes != r.Cache.Bytes {
			found.add(sides)
			sides = nil
		}
	}
	return found
}

// add compares the sides' runs with one cache.
func (f *Findings) add(sides []Side) {
	for _, s := range sides[1:] {
		f.Lines = append(f.Lines, Lines(sides[0], s)...)
	}
	judgeAll(f.Lines)
}

// alike returns the labels of two sides between which only chance makes a difference.
func alike(databases []*database.Database, sides []cell.Side) []string {
	for i, a := range databases {
		for j, b := range databases[:i] {
			if a.SameReads(b) && sides[i].LastLevelFilters == sides[j].LastLevelFilters {
				return []string{sides[j].Label, sides[i].Label}
			}
		}
	}
	return nil
}
