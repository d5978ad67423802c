package main

import (
	"fmt"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/measure"
	"getio/record"
	"getio/report"
)

// keptSweep is a sweep whose results are added to a file as they are there.
type keptSweep struct {
	measure.Sweep
	out  string
	json bool // print the records
	// complete fills in what the sweep does not know of a result; may be nil.
	complete func(*record.Result)
}

func (k *keptSweep) run(c *cobra.Command, w *watch) ([]*record.Result, error) {
	defer w.meter.finish()
	w.watchReads(k.Database, len(k.Caches))
	curve := newGrowing(!k.json)
	journal := record.Journal{Path: k.out, Runs: "sizes", Total: len(k.Caches)}
	var kept []*record.Result
	k.Options.Progress = func(stage measure.Stage) {
		w.run.Measure(stage)
		stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s", len(kept)+1, len(k.Caches),
			humanize.IBytes(uint64(stage.CacheBytes)), stage.Phase)
		w.meter.measure(stage)
	}
	k.Each = func(r *record.Result, measured bool) error {
		if k.complete != nil {
			k.complete(r)
		}
		if err := journal.Finish(r, measured); err != nil {
			return err
		}
		kept = append(kept, r)
		w.run.Finish(r)
		w.meter.finish()
		if measured {
			curve.add(fmt.Sprintf("cache %d of %d: %s", len(kept), len(k.Caches), report.FinishedCache(r)), kept)
		}
		if k.json {
			return record.WriteLine(c.OutOrStdout(), r)
		}
		return nil
	}
	results, err := k.Run(c.Context())
	if err != nil {
		return results, journal.Unfinished(err)
	}
	if drawsOn(os.Stdout) { // the whole curve follows there
		curve.erase()
	}
	return results, nil
}
