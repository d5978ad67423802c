package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/dataset/trace"
	"getio/measure/metrics"
	"getio/outside/watch"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	options     watch.Options
	recording   watch.Recording
	watched     watch.Run
	metricsAddr string
	json        bool
}

func watchCommand() *cobra.Command {
	var f watchFlags
	c := &cobra.Command{
		Use:   "watch PID|NAME",
		Short: "Count what a running client reads from its databases",
		Long: `watch counts the Gets of a running program, such as geth, and the reads that they make, in
all Pebble and goleveldb databases that it has open. The program is neither changed nor
restarted, and its files are only read.

It shows I/Os per Get by component of the tables and, for geth and its forks, by category
of the keys; all reads of tables by cause; and how many of them the page cache served.
Every Get and every read is counted. While counting, a Get takes 1 to 2 us longer, and a
read 4 to 5 us. With --duty 10%, watch counts in one second of ten.

With --record, it also writes the keys of the Gets of one database to a trace. From it,
'getio curve --trace' computes I/Os per Get for any cache, and 'getio advise --trace' says
which cache to choose. To keep a long recording small, --sample 1/16 picks a sixteenth of the
keys, as small ranges of neighbours, and records every Get of those keys.

watch runs until Ctrl-C or until the program ends. It needs Linux on amd64, a kernel with
type information (BTF), and root or the capabilities CAP_BPF, CAP_PERFMON and
CAP_SYS_PTRACE. 'getio count' counts the reads of programs with other stores.`,
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
	flagvalue.Share(flags, &f.watched.Duty, "duty", "100%", 0.01, 1, "share of the time in which to count, in windows of 1 s")
	flags.BoolVar(&f.options.Accesses, "accesses", false, "show the block cache's hit rate, too; each block that a Get looks up then takes 1 to 2 us longer")
	flags.BoolVar(&f.options.ByCaller, "by-caller", false, "show which RPC methods and accessor functions of geth caused the reads")
	flags.StringVar(&f.recording.Path, "record", "", "write the keys of the Gets to this file as a trace; compressed if the name ends in .gz")
	flagvalue.Choice(flags, &f.recording.Keys, "keys", trace.Whole, []trace.KeyForm{trace.Whole, trace.Hashed}, "how to write keys to the trace: whole, or hash (hides the keys; such a trace works only with 'getio predict')")
	flagvalue.Var(flags, &f.recording.Sample, "sample", "rate", "1/1", trace.ParseSample, "record every Get of a share of the keys, such as 1/16, chosen as ranges of neighbours, each about as large as one data block")
	flags.StringVar(&f.recording.Database, "database", "", "directory of the database to record (default: the largest that the process has open)")
	metricsAddrVar(flags, &f.metricsAddr, "the process")
	flags.BoolVar(&f.json, "json", false, "print a getio.watch/1 record instead of text")
	return c
}

func (f *watchFlags) run(c *cobra.Command, process string) error {
	pid, err := watch.Find(process)
	if err != nil {
		return err
	}
	if f.recording.Path != "" {
		f.options.Record = &f.recording
	} else if err := refuseFlags(c, "says what to record: add --record FILE, or leave it out", "keys", "sample", "database"); err != nil {
		return err
	}
	w, err := watch.Open(c.Context(), pid, f.options)
	if err != nil {
		return err
	}
	defer w.Close()
	var served metrics.Watch
	if f.metricsAddr != "" {
		server, err := serveMetrics(c, f.metricsAddr, &served)
		if err != nil {
			return err
		}
		defer server.Close()
	}
	shown := terminal.NewWatch(c.ErrOrStderr())
	f.watched.Show = func(r *record.Watch) {
		served.Set(r)
		shown.Show(r)
	}
	r, err := w.Run(c.Context(), f.watched)
	shown.Erase()
	if err != nil {
		return err
	}
	return errors.Join(show(c, f.json, r, report.Watch), r.Checks().Err())
}
