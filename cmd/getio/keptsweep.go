package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/experiment/sweep"
	"getio/measure"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
)

// runSweep makes a sweep and shows its curve as it grows. json prints each record instead.
func runSweep(c *cobra.Command, s *sweep.Sweep, json bool, w *watch) ([]*record.Result, error) {
	defer w.meter.Finish()
	w.watchReads(s.Database, len(s.Caches))
	curve := terminal.NewCurve(c.ErrOrStderr(), !json)
	var kept []*record.Result
	s.Options.Progress = func(stage measure.Stage) {
		w.run.Measure(stage)
		stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s", len(kept)+1, len(s.Caches),
			humanize.IBytes(uint64(stage.CacheBytes)), stage.Phase)
		w.meter.Show(stage.Progress())
	}
	s.Finish = func(r *record.Result, measured bool) error {
		kept = append(kept, r)
		w.run.Finish(r)
		w.meter.Finish()
		if measured {
			curve.Add(fmt.Sprintf("cache %d of %d: %s", len(kept), len(s.Caches), report.FinishedCache(r)), kept)
		}
		if json {
			return record.WriteLine(c.OutOrStdout(), r)
		}
		return nil
	}
	results, err := s.Run(c.Context())
	if err == nil && terminal.DrawsOn(c.OutOrStdout()) { // the complete curve follows there
		curve.Erase()
	}
	return results, err
}
