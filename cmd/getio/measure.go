package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/usage"
	"getio/engine"
	"getio/engine/engines"
	"getio/engine/lsm"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
)

type measureFlags struct {
	runFlags
	cache   *lsm.CacheSize // nil: missing
	update  uint64
	pace    *load.Pace // of updates meanwhile; nil: none
	filters bool
	record  string // file for a trace
}

func measureCommand() *cobra.Command {
	var m measureFlags
	c := &cobra.Command{
		Use:   "measure DIR --cache SIZE",
		Short: "Measure I/Os per Get at one cache size, by component",
		Long: `measure opens a database, looks up random keys through a block cache of the
given size, and counts every read of a table file. It prints I/Os per Get with a 95%
confidence interval. If a lookup or a self-check fails, it prints no figure.

Unless --keys-file or --trace gives the keys, they are drawn at random from all keys of the
database. For an MDBX database (reth, erigon), the kernel counts the pages that are read,
which needs root.`,
		Example: `  getio measure data/10m --cache 12MiB
  getio measure data/10m --cache 12MiB --update-rate 20k
  getio measure /var/lib/geth/geth/chaindata --cache 0.2%`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: onDatabase(m.run, m.runMDBX),
	}
	f := c.Flags()
	flagvalue.Cache(f, &m.cache, "cache", "block cache: 45MiB, 0.2%, IP1 or IP2, or geth's --cache, such as 4096 (required)")
	flagvalue.Count(f, &m.update, "update", "0", 0, units.MaxCount, "first overwrite this many keys; only for datasets made by 'getio load'")
	flagvalue.Var(f, &m.pace, "update-rate", "rate", "", measure.ParsePace, "overwrite this many keys per second while Gets are measured, or max for no limit; only for datasets made by 'getio load'").Offer("max")
	f.BoolVar(&m.filters, "last-level-filters", false, "consult the last level's filters too")
	flagvalue.File(f, &m.record, "record", "write the operations to this file as a trace")
	m.register(c)
	m.registerNow(c)
	liveFlag(c, &m.choice)
	return c
}

var errNoCache = usage.Errorf("measure needs a cache size: add --cache SIZE, such as --cache 45MiB or --cache 0.2%%")

func (m *measureFlags) run(c *cobra.Command, dir string) error {
	opts, trace, err := m.parse(c)
	if err != nil {
		return err
	}
	if m.cache == nil {
		return errNoCache
	}
	request := measure.Request{
		Engines: engines.All(), Dir: dir, Choice: m.choice, Cache: *m.cache,
		Open:    engine.OpenConfig{Shards: m.shards, LastLevelFilters: m.filters, Device: m.device.Layer()},
		Options: opts, Trace: trace, Limit: m.limit, Updates: m.update, Pace: m.pace, Writers: defaultWorkers(), RecordTo: m.record,
	}
	if err := usage.Wrap(request.Check()); err != nil {
		return err
	}
	w, err := m.progress.Begin(c)
	if err != nil {
		return err
	}
	defer w.End()
	request.Progress = w.Measure
	request.Loading, request.Reading = w.Load, func(d *database.Database) { w.Reads(d, 1) }
	result, err := request.Run(c.Context())
	w.Meter.Finish()
	if result == nil {
		return err
	}
	w.Run.Finish(result)
	// What was measured counts, whatever came of a trace of it.
	if err = errors.Join(err, show(c, m.json, result, report.Measurement)); err != nil {
		return err
	}
	return believable(result)
}

func (m *measureFlags) runMDBX(c *cobra.Command, dir string) error {
	if m.cache == nil {
		return errNoCache
	}
	return m.runFlags.runMDBX(c, dir, "", []lsm.CacheSize{*m.cache}, func(w io.Writer, r []*record.Result) error { return report.Measurement(w, r[0]) })
}
