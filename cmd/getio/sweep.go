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
	"getio/record"
	"getio/report"
	"getio/system/machine"
)

type sweepFlags struct {
	runFlags
	cache []lsm.CacheSize // none: the default ones
	out   string
}

// registerSweep registers what a sweep and its plan share. mdbx says which caches MDBX has by default.
func (s *sweepFlags) registerSweep(c *cobra.Command, mdbx string) {
	flagvalue.Caches(c.Flags(), &s.cache, "", sweptCaches+mdbx+" See docs/method.md)")
	s.register(c)
}

// sweptCaches begins to say which caches a sweep and a curve have.
const sweptCaches = "cache sizes, comma-separated (default: IP1, IP2 and several from 0.1% to 3%. Sizes larger than memory are left out. For geth's chaindata, sizes that geth cannot use are left out, and its present cache, half and twice of it are added. A number such as 4096 is geth's own --cache."

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
	s.registerSweep(c, " For MDBX: up to six sizes from 0.25% of the database on, each twice the one before.")
	s.registerNow(c)
	c.Flags().VarP(flagvalue.Path(&s.out, flagvalue.KindFile), "out", "o", "file to keep records in; sizes whose records are there already are skipped (default: the directory's name with .sweep.jsonl)")
	return c
}

func (s *sweepFlags) runEngine(c *cobra.Command, dir string) error {
	options, trace, err := s.parse(c) // no database is opened before that
	if err != nil {
		return err
	}
	kept, err := sweep.Kept(s.out, dir)
	if err != nil {
		return err
	}
	w, err := s.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	d, err := database.Open(c.Context(), engines.All(), dir, s.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	warn(c, d.Info().Warnings()...)
	if err := cmp.Or(d.RequireOutside(kept.Path, "--out"), kept.RequireOwn(d.Dir)); err != nil {
		return err
	}
	bytes, err := d.SweepBytes(s.cache, machine.FitsCache)
	if err != nil {
		return err
	}
	if least := measure.VerdictGets(d.Store); len(kept.Results) < len(bytes) && options.Gets > 0 && options.Gets < least && options.Kind.IsGet() {
		fmt.Fprintf(c.ErrOrStderr(), "%d Gets are too few to tell if a size is steady: that takes --gets %d\n", options.Gets, least)
	}
	runs := kept.Resume(sweep.New(d, sweep.Cells(s.cell(options), bytes), trace))
	runs.Until = s.limit.Of(d)
	results, err := w.Sweep(c, runs, s.json)
	if err != nil {
		return err
	}
	if !s.json {
		if err := s.print(c.OutOrStdout(), results, kept.Path); err != nil {
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
		Device: s.device,
	}
}

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
