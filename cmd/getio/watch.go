package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/measure/metrics"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
	"getio/watch"
	"getio/workload/trace"
)

type watchFlags struct {
	options     watch.Options
	recording   watch.Recording
	watched     watch.Run
	metricsAddr string
	json        bool
}

func watchCommand() *cobra.Command {
	f := watchFlags{watched: watch.Run{Unprivileged: true}}
	c := &cobra.Command{
		Use:   "watch PID|NAME",
		Short: "Count what a running client reads from its databases",
		Long: `watch counts the Gets of a running Go program, and the reads that they cause, in all Pebble
and goleveldb databases that it has open. The program is not changed or restarted.

It shows I/Os per Get by component (filter, index or data block) and, for geth, by category
of keys. It also counts the reads of iterators, compactions and other causes. --record
writes the keys to a trace, which advise, measure and other commands can replay.

watch needs Linux on amd64, and root or the capabilities in docs/geth.md. It runs for the
time of --for, or until Ctrl-C or the end of the program.`,
		Example: `  getio watch $(pidof geth) --for 10m
  getio watch geth --for 1m --json >watched.jsonl
  getio watch geth --for 1h --record geth.trace.gz --sample 1/16`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("watch needs one process, by its number or name: see '%s --help'", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	flags := c.Flags()
	flagvalue.Duration(flags, &f.watched.For, "for", 31*24*time.Hour, "stop after this time (default: at Ctrl-C)")
	flagvalue.Share(flags, &f.watched.Duty, "duty", "100%", 0.01, 1, "count only during this share of the time; 10% is one second in ten")
	flags.BoolVar(&f.options.Accesses, "accesses", false, "show the block cache's hit rate too")
	flags.BoolVar(&f.options.ByCaller, "by-caller", false, "show which RPC methods and functions of geth caused reads")
	flagvalue.File(flags, &f.recording.Path, "record", "write the keys of the Gets to this file as a trace")
	flagvalue.Choice(flags, &f.recording.Keys, "keys", trace.Whole, []trace.KeyForm{trace.Whole, trace.Hashed}, "how to store keys in the trace: whole or hash (docs/traces.md)")
	flagvalue.Var(flags, &f.recording.Sample, "sample", "rate", "1/1", trace.ParseSample, "record only this share of the keys, such as 1/16")
	flagvalue.Dir(flags, &f.recording.Database, "database", "", "directory of the database to record (default: the largest Pebble database; without one, the largest goleveldb database)")
	progress.MetricsAddrVar(flags, &f.metricsAddr, "the process")
	flags.BoolVar(&f.json, "json", false, "print a record instead of text")
	return c
}

func (f *watchFlags) run(c *cobra.Command, process string) error {
	pid, err := watch.Find(process)
	if err != nil {
		return err
	}
	if f.recording.Path != "" {
		f.options.Record = &f.recording
	} else if err := usage.RefuseFlags(c, "says what to record: add --record FILE, or leave it out", "keys", "sample", "database"); err != nil {
		return err
	}
	w, err := watch.Open(c.Context(), pid, f.options)
	if err != nil {
		return err
	}
	defer w.Close()
	var served metrics.Watch
	if f.metricsAddr != "" {
		server, err := progress.ServeMetrics(c, f.metricsAddr, &served)
		if err != nil {
			return err
		}
		defer server.Close()
	}
	shown := terminal.NewWatch(progress.Out(c))
	f.watched.Show = func(r *record.Watch) {
		served.Set(r)
		shown.Show(r)
	}
	r, err := w.Run(c.Context(), f.watched)
	shown.Erase()
	if err != nil {
		return err
	}
	return errors.Join(show(c, f.json, r, report.Watch), r.AllChecks().Err(), f.recorded(r))
}

// recorded returns an error if the user asked for a trace and watch wrote none.
func (f *watchFlags) recorded(r *record.Watch) error {
	if f.recording.Path == "" || r.Trace != nil {
		return nil
	}
	return fmt.Errorf("%s was not written, because the database to record got no Gets: name another one with --database, or watch for longer", f.recording.Path)
}
