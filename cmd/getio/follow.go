package main

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/experiment/prepare"
	"getio/experiment/sweep"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/metrics"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
)

// followFlags say how a run under way can be followed.
type followFlags struct{ metricsAddr string }

func (f *followFlags) register(c *cobra.Command) {
	metricsAddrVar(c.Flags(), &f.metricsAddr, "the run")
}

// follower shows a run under way to whoever looks: on standard error, and to
// Prometheus if an address was named.
type follower struct {
	meter  *terminal.Progress
	run    *metrics.Run
	server *metrics.Server // nil if no address was named
}

// begin begins to serve when the flags were looked at, and before anything is opened
// or made. What it returns must be ended.
func (f *followFlags) begin(c *cobra.Command) (*follower, error) {
	w := &follower{meter: terminal.NewProgress(c.ErrOrStderr()), run: metrics.NewRun()}
	if f.metricsAddr == "" {
		return w, nil
	}
	var err error
	w.server, err = serveMetrics(c, f.metricsAddr, w.run)
	return w, err
}

// serveMetrics says where it serves them.
func serveMetrics(c *cobra.Command, address string, of prometheus.Collector) (*metrics.Server, error) {
	server, err := metrics.Serve(address, of)
	if err != nil {
		return nil, fmt.Errorf("--metrics-addr: %w", err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "Metrics: %s\n", server.URL())
	return server, nil
}

func metricsAddrVar(f *pflag.FlagSet, to *string, of string) {
	f.StringVar(to, "metrics-addr", "", "serve Prometheus metrics of "+of+", such as at :9100")
}

func (w *follower) end() {
	w.meter.Finish()
	if w.server != nil {
		w.server.Close()
	}
}

// load shows how far a load is.
func (w *follower) load(s load.Stage) {
	w.run.Load(s)
	w.meter.Show(s.Progress())
}

// measure shows how far a measurement is.
func (w *follower) measure(s measure.Stage) {
	w.run.Measure(s)
	w.meter.Show(s.Progress())
}

// followLoad has a load followed.
func (w *follower) followLoad(j *load.Job) {
	m := j.Manifest
	kind := (&database.Database{Manifest: m}).Kind()
	w.run.Identify(record.Engine{Name: m.Engine, Version: m.EngineVersion, Preset: m.Preset}, record.Dataset{Path: j.Dir, Kind: kind})
	j.Progress = w.load
}

// prepare makes what is left of a dataset.
func (w *follower) prepare(c *cobra.Command, p *prepare.Preparation) error {
	if p.Job == nil {
		return nil
	}
	defer w.meter.Finish()
	w.followLoad(p.Job)
	return p.Run(c.Context())
}

// followReads has measurements of a database followed, with so many cache sizes.
func (w *follower) followReads(d *database.Database, sizes int) {
	w.run.Identify(d.EngineRecord(), record.Dataset{Path: d.Dir, Kind: d.Kind()})
	w.run.Plan(sizes)
}

// runSweep makes a sweep and shows its curve as it grows. json prints each record instead.
func runSweep(c *cobra.Command, s *sweep.Sweep, json bool, w *follower) ([]*record.Result, error) {
	defer w.meter.Finish()
	w.followReads(s.Database, len(s.Caches))
	curve := terminal.NewCurve(c.ErrOrStderr(), !json)
	var kept []*record.Result
	s.Options.Progress = func(stage measure.Stage) {
		w.run.Measure(stage)
		stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s", len(kept)+1, len(s.Caches),
			humanize.IBytes(uint64(stage.CacheBytes)), stage.Phase)
		w.meter.Show(stage.Progress())
	}
	s.Expecting = w.meter.Expect
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

// show prints a record as text or, for programs, as it is.
func show[R any](c *cobra.Command, json bool, r R, text func(io.Writer, R) error) error {
	if json {
		return record.WriteLine(c.OutOrStdout(), r)
	}
	return text(c.OutOrStdout(), r)
}

// showAll prints records as text or, for programs, one per line.
func showAll[R any](c *cobra.Command, json bool, records []R, text func(io.Writer, []R) error) error {
	if json {
		text = record.WriteLines
	}
	return text(c.OutOrStdout(), records)
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
	return (&record.Set{Results: results}).Checks().Err()
}
