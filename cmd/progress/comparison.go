package progress

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/experiment/compare"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/report"
)

// Comparison shows a comparison under way.
type Comparison struct {
	*Follower
	Command *cobra.Command
	JSON    bool // print each record
}

// Begin implements compare.Watcher.
func (w *Comparison) Begin(base *database.Database, runs int, gets, least int64, alike []string) {
	w.Reads(base, runs)
	if len(alike) > 0 {
		fmt.Fprintf(w.Command.ErrOrStderr(), "%s are the same database, read with the same options: any difference is chance\n", strings.Join(alike, " and "))
	}
	if gets < least {
		fmt.Fprintf(w.Command.ErrOrStderr(), "%d Gets in each run are too few for a verdict, which needs --gets %d\n", gets, least)
	}
}

// Progress implements compare.Watcher.
func (w *Comparison) Progress(at compare.Step, stage measure.Stage) {
	w.Run.Measure(stage)
	run := at.Side
	if at.Round > 0 {
		run = fmt.Sprintf("round %d of %d, %s", at.Round, at.Rounds, at.Side)
	}
	stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s, %s", at.Cache, at.Caches, humanize.IBytes(uint64(at.CacheBytes)), run, stage.Phase)
	w.Meter.Show(stage.Progress())
}

// Finish implements compare.Watcher.
func (w *Comparison) Finish(r *record.Result) error {
	w.Run.Finish(r)
	if w.JSON {
		return record.WriteLine(w.Command.OutOrStdout(), r)
	}
	return nil
}

// FinishRound implements compare.Watcher.
func (w *Comparison) FinishRound(at compare.Step, runs []*record.Result) {
	w.Meter.Finish()
	fmt.Fprintf(Out(w.Command), "cache %d of %d: %s, round %d of %d: %s\n", at.Cache, at.Caches,
		humanize.IBytes(uint64(at.CacheBytes)), at.Round, at.Rounds, report.FinishedRound(runs))
}

// End implements compare.Watcher.
func (w *Comparison) End(j *record.Journal) {
	w.Meter.Finish()
	Reused(w.Command, j)
}
