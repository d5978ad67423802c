package main

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/experiment/prepare"
	"getio/experiment/sweep"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/metrics"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
	"getio/tree/readpath"
)

// watchFlags say how a run under way can be watched.
type watchFlags struct{ metricsAddr string }

func (f *watchFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.metricsAddr, "metrics-addr", "", "serve metrics of the run for Prometheus, like :9100 (on this machine's loopback address unless a host is named)")
}

// watch shows a run under way to whoever looks: on standard error, and to
// Prometheus if an address was named.
type watch struct {
	meter  *terminal.Progress
	run    *metrics.Run
	server *metrics.Server // nil if no address was named
}

// begin begins to serve when the flags were looked at, and before anything is opened
// or made. What it returns must be ended.
func (f *watchFlags) begin(c *cobra.Command) (*watch, error) {
	w := &watch{meter: terminal.NewProgress(c.ErrOrStderr()), run: metrics.NewRun()}
	if f.metricsAddr == "" {
		return w, nil
	}
	var err error
	if w.server, err = metrics.Serve(f.metricsAddr, w.run); err != nil {
		return nil, fmt.Errorf("--metrics-addr: %w", err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "Metrics: %s\n", w.server.URL())
	return w, nil
}

func (w *watch) end() {
	w.meter.Finish()
	if w.server != nil {
		w.server.Close()
	}
}

// load shows how far a load is.
func (w *watch) load(s load.Stage) {
	w.run.Load(s)
	w.meter.Show(s.Progress())
}

// measure shows how far a measurement is.
func (w *watch) measure(s measure.Stage) {
	w.run.Measure(s)
	w.meter.Show(s.Progress())
}

// watchLoad has a load watched.
func (w *watch) watchLoad(j *load.Job) {
	m := j.Manifest
	kind := (&database.Database{Manifest: m}).Kind()
	w.run.Identify(record.Engine{Name: m.Engine, Version: m.EngineVersion, Preset: m.Preset}, record.Dataset{Path: j.Dir, Kind: kind})
	j.Progress = w.load
}

// prepare makes what is left of a dataset.
func (w *watch) prepare(c *cobra.Command, p *prepare.Preparation) error {
	if p.Job == nil {
		return nil
	}
	defer w.meter.Finish()
	w.watchLoad(p.Job)
	return p.Run(c.Context())
}

// watchReads has measurements of a database watched, with so many cache sizes.
func (w *watch) watchReads(d *database.Database, sizes int) {
	w.run.Identify(d.EngineRecord(), record.Dataset{Path: d.Dir, Kind: d.Kind()})
	w.run.Plan(sizes)
}

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

// prose is where a command writes what is for people: nowhere if it prints records instead.
func prose(c *cobra.Command, json bool) io.Writer {
	if json {
		return io.Discard
	}
	return c.OutOrStdout()
}

// believable turns a failed self-check into the command's error.
func believable(results ...*record.Result) error {
	var checks readpath.Checks
	for _, r := range results {
		checks = append(checks, r.Checks...)
	}
	return checks.Err()
}
