// Package progress runs the steps of commands and has them shown while they run: on standard error
// (by package terminal), and to Prometheus.
package progress

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/experiment/preparation"
	"getio/experiment/sweep"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/metrics"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
)

const quiet = "quiet"

// QuietVar gives all commands a flag to show no progress.
func QuietVar(root *cobra.Command) {
	root.PersistentFlags().Bool(quiet, false, "show no progress")
}

// Out is where a command shows its progress: standard error, or nowhere with --quiet.
func Out(c *cobra.Command) io.Writer {
	if silent, err := c.Flags().GetBool(quiet); err == nil && silent {
		return io.Discard
	}
	return c.ErrOrStderr()
}

// Meter is the progress of a command that begins now.
func Meter(c *cobra.Command) *terminal.Progress { return terminal.NewProgress(Out(c)) }

// Flags say how a run under way can be followed.
type Flags struct{ metricsAddr string }

func (f *Flags) Register(c *cobra.Command) {
	MetricsAddrVar(c.Flags(), &f.metricsAddr, "the run")
}

// Follower shows a run under way to whoever looks: on standard error, and to
// Prometheus if an address was named.
type Follower struct {
	Meter  *terminal.Progress
	Run    *metrics.Run
	server *metrics.Server // nil if no address was named
}

// Begin begins to serve when the flags were looked at, and before anything is opened
// or made. What it returns must be ended.
func (f *Flags) Begin(c *cobra.Command) (*Follower, error) {
	w := &Follower{Meter: Meter(c), Run: metrics.NewRun()}
	if f.metricsAddr == "" {
		return w, nil
	}
	var err error
	w.server, err = ServeMetrics(c, f.metricsAddr, w.Run)
	return w, err
}

// ServeMetrics says where it serves them.
func ServeMetrics(c *cobra.Command, address string, of prometheus.Collector) (*metrics.Server, error) {
	server, err := metrics.Serve(address, of)
	if err != nil {
		return nil, fmt.Errorf("--metrics-addr: %w", err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "Metrics: %s\n", server.URL())
	return server, nil
}

func MetricsAddrVar(f *pflag.FlagSet, to *string, of string) {
	f.StringVar(to, "metrics-addr", "", "serve Prometheus metrics of "+of+", such as at :9100")
}

func (w *Follower) End() {
	w.Meter.Finish()
	if w.server != nil {
		w.server.Close()
	}
}

func (w *Follower) showLoad(s load.Stage) {
	w.Run.Load(s)
	w.Meter.Show(s.Progress())
}

// Measure shows how far a measurement is.
func (w *Follower) Measure(s measure.Stage) {
	w.Run.Measure(s)
	w.Meter.Show(s.Progress())
}

// Load has a load followed.
func (w *Follower) Load(j *load.Job) {
	m := j.Manifest
	kind := (&database.Database{Manifest: m}).Kind()
	w.Run.Identify(record.Engine{Name: m.Engine, Version: m.EngineVersion, Preset: m.Preset}, record.Dataset{Path: j.Dir, Kind: kind})
	j.Progress = w.showLoad
}

// Prepare makes what is left of a dataset.
func (w *Follower) Prepare(c *cobra.Command, p *preparation.Preparation) error {
	if p.Job == nil {
		return nil
	}
	defer w.Meter.Finish()
	w.Load(p.Job)
	return p.Run(c.Context())
}

// Reads has measurements of a database followed, with so many cache sizes.
func (w *Follower) Reads(d *database.Database, sizes int) {
	w.Run.Identify(d.EngineRecord(), record.Dataset{Path: d.Dir, Kind: d.Kind()})
	w.Run.Plan(sizes)
}

// Sweep makes a sweep and shows its curve as it grows. json prints each record instead.
func (w *Follower) Sweep(c *cobra.Command, s *sweep.Sweep, json bool) ([]*record.Result, error) {
	defer w.Meter.Finish()
	w.Reads(s.Database, len(s.Caches))
	curve := terminal.NewCurve(Out(c), !json)
	var kept []*record.Result
	s.Options.Progress = func(stage measure.Stage) {
		w.Run.Measure(stage)
		stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s", len(kept)+1, len(s.Caches),
			humanize.IBytes(uint64(stage.CacheBytes)), stage.Phase)
		w.Meter.Show(stage.Progress())
	}
	s.Finish = func(r *record.Result, measured bool) error {
		kept = append(kept, r)
		w.Run.Finish(r)
		w.Meter.Finish()
		if measured {
			curve.Add(fmt.Sprintf("cache %d of %d: %s", len(kept), len(s.Caches), report.FinishedCache(r)), kept)
		}
		return Line(c, json, r)
	}
	results, err := s.Run(c.Context())
	if err == nil && terminal.DrawsOn(c.OutOrStdout()) { // the complete curve follows there
		curve.Erase()
	}
	if err == nil {
		Reused(c, &s.Journal)
	}
	return results, err
}

// Line writes a record if records are printed.
func Line(c *cobra.Command, json bool, r any) error {
	if !json {
		return nil
	}
	return record.WriteLine(c.OutOrStdout(), r)
}

// Reused says on standard error how many runs are taken from the journal, and how to measure them again. It prints
// nothing if all runs were made.
func Reused(c *cobra.Command, j *record.Journal) {
	text, way := j.Reused(), "remove that file"
	if text == "" {
		return
	}
	if c.Flags().Lookup("out") != nil {
		way = "choose another file with --out"
	}
	fmt.Fprintf(c.ErrOrStderr(), "getio: %s: %s to measure again\n", text, way)
}
