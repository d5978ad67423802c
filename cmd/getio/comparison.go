package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/engine"
	"getio/engine/engines"
	"getio/experiment/compare"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/tree/lsm"
)

// comparison is what is to be run: several sides, with several caches, in rounds.
type comparison struct {
	sides   []side // the base first
	ask     database.KeySource
	options measure.Options
	sizes   []lsm.CacheSize // none for the default ones
	rounds  int
	shards  int
	device  deviceFlags
	journal record.Journal
	others  []output // files that are written beside it
	done    []*record.Result
	json    bool
}

// output is a file to be written, and the flag that names it.
type output struct{ path, flag string }

// findings are what the runs of a comparison came to.
type findings struct {
	results []*record.Result
	lines   []*record.Comparison
	bySize  [][]compare.Side
}

// run opens all sides, and makes the runs with each cache in turn.
func (p *comparison) run(c *cobra.Command, w *watch) (*findings, error) {
	defer w.meter.finish()
	databases, err := p.open(c.Context())
	defer func() {
		for _, d := range databases {
			d.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	sweeps, caches, err := p.plan(databases)
	if err != nil {
		return nil, err
	}
	p.journal.Total = len(caches) * len(p.sides) * p.rounds
	w.watchReads(databases[0], p.journal.Total)
	found := &findings{}
	for i, bytes := range caches {
		place := fmt.Sprintf("cache %d of %d", i+1, len(caches))
		runs, err := p.alternate(c, w, sweeps, bytes, place, found)
		if err != nil {
			return nil, p.journal.Unfinished(err)
		}
		found.add(p.sides, runs)
	}
	for _, line := range found.lines {
		if err := p.journal.AddMissing(line); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// open opens the sides' databases and refuses those that cannot be compared.
func (p *comparison) open(ctx context.Context) (databases []*database.Database, err error) {
	for _, s := range p.sides {
		d, err := database.Open(ctx, engines.All(), s.dir, s.choice)
		if err != nil {
			return databases, err
		}
		databases = append(databases, d)
		if s.lastFilter {
			if err := requireUnread(d, settingLastFilter); err != nil {
				return databases, err
			}
		}
		if err := database.SameKeys(databases[0], d, p.ask); err != nil {
			return databases, err
		}
		for _, o := range append([]output{{p.journal.Path, "--out"}}, p.others...) {
			if o.path == "" {
				continue
			}
			if err := requireOutside(o.path, d, o.flag); err != nil {
				return databases, err
			}
		}
	}
	return databases, nil
}

// plan is the sweep of each side, without a cache yet, and the caches. It says when the Gets
// of a run are too few for what they are made for.
func (p *comparison) plan(databases []*database.Database) (sweeps []*measure.Sweep, caches []int64, err error) {
	var stores []engine.Store
	var floor int64
	for _, d := range databases {
		stores = append(stores, d.Store)
		floor = max(floor, d.Store.Info().MinCacheBytes)
	}
	if p.options.Gets == 0 {
		p.options.Gets = measure.RoundGets(stores...)
	}
	for i, d := range databases {
		open := engine.OpenConfig{Shards: p.shards, LastLevelFilters: p.sides[i].lastFilter, Device: p.device.layer()}
		sweeps = append(sweeps, &measure.Sweep{Database: d, Keys: p.ask, Done: p.done, Caches: []engine.OpenConfig{open}})
	}
	base := stores[0].Shape()
	if len(p.sizes) == 0 {
		caches = defaultCaches(base.Total().Bytes, floor)
	} else {
		caches, err = cacheBytes(p.sizes, base, floor)
	}
	if err == nil && caches[0] < floor {
		err = fmt.Errorf("a cache of %s is too small for one of the sides: take at least %s", humanize.IBytes(uint64(caches[0])), units.Exact(floor))
	}
	if err != nil {
		return nil, nil, err
	}
	if least := measure.VerdictGets(stores...); p.options.Gets < least {
		fmt.Fprintf(os.Stderr, "%d Gets in each run are too few for a verdict, which takes --gets %d\n", p.options.Gets, least)
	}
	return sweeps, caches, nil
}

// alternate makes the runs with one cache.
func (p *comparison) alternate(c *cobra.Command, w *watch, sweeps []*measure.Sweep, bytes int64, place string, found *findings) ([][]*record.Result, error) {
	now := ""
	options := p.options
	options.Progress = func(stage measure.Stage) {
		w.run.Measure(stage)
		stage.Phase = fmt.Sprintf("%s (%s), %s, %s", place, humanize.IBytes(uint64(bytes)), now, stage.Phase)
		w.meter.measure(stage)
	}
	for _, s := range sweeps {
		s.Caches[0].CacheBytes, s.Options = bytes, options
	}
	inRound, anew := make([]*record.Result, len(sweeps)), false
	a := measure.Alternation{Sides: sweeps, Rounds: p.rounds}
	a.Begin = func(round, side int) {
		now = fmt.Sprintf("round %d of %d, %s", round, p.rounds, p.sides[side].label)
		if round == 0 {
			now = p.sides[side].label
		}
	}
	a.Each = func(round, side int, r *record.Result, measured bool) error {
		w.run.Finish(r)
		if measured {
			r.ComparisonRun = &record.ComparisonRun{Side: p.sides[side].label, Round: round, Rounds: p.rounds}
		}
		if err := p.journal.Finish(r, measured); err != nil {
			return err
		}
		if p.json {
			if err := record.WriteLine(c.OutOrStdout(), r); err != nil {
				return err
			}
		}
		found.results = append(found.results, r)
		inRound[side], anew = r, anew || measured
		if len(found.results)%len(sweeps) == 0 && anew {
			w.meter.finish()
			fmt.Fprintf(os.Stderr, "%s: %s, round %d of %d: %s\n", place, humanize.IBytes(uint64(bytes)), round, p.rounds, report.FinishedRound(p.labels(), inRound))
			anew = false
		}
		return nil
	}
	return a.Run(c.Context())
}

func (p *comparison) labels() (labels []string) {
	for _, s := range p.sides {
		labels = append(labels, s.label)
	}
	return labels
}

// add compares the sides' runs with one cache.
func (f *findings) add(sides []side, runs [][]*record.Result) {
	var compared []compare.Side
	for i, s := range sides {
		compared = append(compared, compare.Side{Label: s.label, Runs: runs[i]})
	}
	f.bySize = append(f.bySize, compared)
	for _, s := range compared[1:] {
		f.lines = append(f.lines, compare.Lines(compared[0], s)...)
	}
}

// benchmarks writes the runs for benchstat.
func (f *findings) benchmarks(w io.Writer) error {
	for _, sides := range f.bySize {
		if err := report.ComparisonBenchmarks(w, sides); err != nil {
			return err
		}
	}
	return nil
}

// conclude prints what was found and says whether it can be believed.
func (f *findings) conclude(c *cobra.Command, p *comparison, benchfmt string) error {
	if benchfmt != "" {
		if err := writeBenchmarks(benchfmt, f); err != nil {
			return errors.Join(believable(f.results...), err)
		}
	}
	if err := f.print(c.OutOrStdout(), p); err != nil {
		return err
	}
	return believable(f.results...)
}

func (f *findings) print(w io.Writer, p *comparison) error {
	if p.json {
		for _, l := range f.lines {
			if err := record.WriteLine(w, l); err != nil {
				return err
			}
		}
		return nil
	}
	err := report.Comparison(w, f.lines)
	if err == nil && p.journal.Path != "" {
		_, err = fmt.Fprintf(w, "\nRecords: %s\n", p.journal.Path)
	}
	return err
}

// comparedShares are the default cache sizes, in parts of the base's database: the first
// three that all sides take.
var comparedShares = []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}

func defaultCaches(bytes, floor int64) (caches []int64) {
	for _, share := range comparedShares {
		n := int64(share * float64(bytes))
		if n >= floor && len(caches) < 3 && checkMemory(n) == nil {
			caches = append(caches, n)
		}
	}
	if len(caches) == 0 {
		caches = append(caches, floor)
	}
	return slices.Compact(caches)
}
