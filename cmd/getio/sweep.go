package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/lsm"
	"getio/experiment/cell"
	"getio/experiment/sweep"
	"getio/measure"
	"getio/measure/database"
	"getio/predict/advice"
	"getio/record"
	"getio/report"
	"getio/system/machine"
	"getio/workload/trace"
)

type sweepFlags struct {
	runFlags
	cache []lsm.CacheSize // none: the default ones
	out   string
}

// registerSweep registers what a sweep and its plan share.
func (s *sweepFlags) registerSweep(c *cobra.Command) {
	flagvalue.Caches(c.Flags(), &s.cache, "", sweptCaches+" For MDBX: up to six sizes from 0.25% of the database on, each twice the one before. See docs/method.md)")
	s.register(c)
}

// sweptCaches begins to say which caches a sweep and a curve have.
const sweptCaches = "cache sizes, comma-separated (default: IP1, IP2 and several from 0.1% to 3%. Sizes larger than memory are left out. For geth's chaindata, sizes that geth cannot use are left out too."

func sweepCommand() *cobra.Command {
	var s sweepFlags
	c := &cobra.Command{
		Use:   "sweep DIR",
		Short: "Measure I/Os per Get at several cache sizes",
		Long: `sweep measures a database at several cache sizes, and starts each run with an empty cache.
At the end, it names the smallest cache for about two reads per Get, and the smallest for
about one.

Each result is kept in a file. Run the same command again to resume.`,
		Example: `  getio sweep data/10m
  getio sweep /var/lib/geth/geth/chaindata --cache 0.1%,0.5% --out mainnet.jsonl`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: onDatabase(s.runEngine, s.runMDBX),
	}
	s.registerSweep(c)
	s.registerNow(c)
	c.Flags().VarP(flagvalue.Path(&s.out, flagvalue.KindFile), "out", "o", "file to keep records in; sizes whose records are there already are skipped (default: the directory's name with .sweep.jsonl)")
	return c
}

// sweepPlan is what the flags ask for, and what is there of it.
type sweepPlan struct {
	dir     string
	trace   *trace.File // nil without one
	options measure.Options
	kept    sweep.File
}

// plan checks the flags; no database is opened before that.
func (s *sweepFlags) plan(c *cobra.Command, dir string) (p sweepPlan, err error) {
	p.dir = dir
	if p.options, p.trace, err = s.parse(c); err == nil {
		p.kept, err = sweep.Kept(s.out, dir)
	}
	return p, err
}

func (s *sweepFlags) runEngine(c *cobra.Command, dir string) error {
	p, err := s.plan(c, dir)
	if err != nil {
		return err
	}
	w, err := s.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	d, err := database.Open(c.Context(), engines.All(), p.dir, s.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	warn(c, d.Info().Warnings()...)
	if err := cmp.Or(d.RequireOutside(p.kept.Path, "--out"), p.kept.RequireOwn(d.Dir)); err != nil {
		return err
	}
	bytes, err := advice.SweepBytes(d, s.cache, machine.FitsCache)
	if err != nil {
		return err
	}
	if least := measure.VerdictGets(d.Store); len(p.kept.Results) < len(bytes) && p.options.Gets > 0 && p.options.Gets < least && p.options.Kind.IsGet() {
		fmt.Fprintf(c.ErrOrStderr(), "%d Gets are too few to tell if a size is steady: that takes --gets %d\n", p.options.Gets, least)
	}
	kept := p.kept.Resume(sweep.New(d, sweep.Cells(s.cell(p.options), bytes), p.trace))
	kept.Until = s.limit.Of(d)
	results, err := w.Sweep(c, kept, s.json)
	if err != nil {
		return err
	}
	if !s.json {
		if err := s.print(c.OutOrStdout(), results, p.kept.Path); err != nil {
			return err
		}
	}
	return believable(results...)
}

// cell is what the cells of the sweep share.
func (s *sweepFlags) cell(options measure.Options) cell.Cell {
	side := cell.Side{Preset: s.choice.Preset, Options: s.choice.Options, Shards: s.shards}
	return cell.Cell{
		Experiment: cell.Sweep, Sides: []cell.Side{side}, Workload: options.Workload, Counted: options.Counted,
		Device: cell.NewDevice(s.device.pageCache, s.device.model),
	}
}

// print writes the table, the curve and where the records are.
func (s *sweepFlags) print(w io.Writer, results []*record.Result, out string) error {
	err := report.WithCurve(w, report.Sweep, results)
	if err == nil {
		_, err = fmt.Fprintf(w, "\nRecords: %s\n", out)
	}
	return err
}

func (s *sweepFlags) runMDBX(c *cobra.Command, dir string) error {
	kept, err := sweep.Kept(s.out, c.Flags().Arg(0))
	if err = cmp.Or(err, kept.RequireOwn(dir), database.RequireOutside(dir, dir, kept.Path, "--out")); err != nil {
		return err
	}
	return s.runFlags.runMDBX(c, dir, kept.Path, s.cache, func(w io.Writer, r []*record.Result) error { return s.print(w, r, kept.Path) })
}
