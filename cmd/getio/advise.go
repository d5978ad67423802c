package main

import (
	"cmp"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/lsm"
	"getio/measure/database"
	"getio/predict/advice"
	"getio/predict/replay"
	"getio/predict/scenario"
	"getio/predict/twin"
	"getio/record"
	"getio/report"
	"getio/system/machine"
	"getio/watch"
	"getio/workload"
)

type adviseFlags struct {
	keys     workload.Keys
	scenario scenario.Query
	memory   *lsm.CacheSize
	target   float64
	cache    *lsm.CacheSize
	gets     int64
	ram      int64
	watched  watch.Run // of a process
	json     bool
}

func adviseCommand() *cobra.Command {
	a := adviseFlags{watched: watch.Run{For: 10 * time.Minute, Unprivileged: true}}
	c := &cobra.Command{
		Use:   "advise [DIR|PID|NAME]",
		Short: "Advise on a database's block cache, filters and blocks",
		Long: `advise says how large a block cache to set, and how many reads a larger one would save. For
Pebble with equally popular keys, it also says what other filters or larger blocks would
save. For geth, it names the value of --cache and, beyond geth's limit, of --cache.database.

The Gets can come from a running client (give its name or PID, as root), from a
recorded trace (--trace), or from flags that describe them. Otherwise, advise assumes that
all keys are equally popular. A client asks for some keys far more often than for others,
so it usually reads less than this advice says.

If you have no database, describe one with --dataset, --shape or --keys.`,
		Example: `  getio advise $(pidof geth) --for 10m
  getio advise /var/lib/geth/geth/chaindata --trace geth.trace.gz --live
  getio advise /var/lib/geth/geth/chaindata --target 1.2
  getio advise --dataset mainnet`,
		Args: func(c *cobra.Command, args []string) error {
			switch trees := a.scenario.Trees(); {
			case len(args) == 0 && trees == 0:
				return errors.New("advise needs a directory, a process, or a tree that --dataset, --shape or --keys names: see 'getio advise --help'")
			case len(args) == 0:
				return a.scenario.Check()
			case trees > 0:
				return errors.New("advise takes a directory, or a tree that --dataset, --shape or --keys names, not both: leave one out")
			}
			return usage.Directory(c, args)
		},
		ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error {
			run := func(c *cobra.Command, _ string) error { return a.run(c, args) }
			if len(args) == 0 {
				return run(c, "")
			}
			return onDatabase(run, nil)(c, args)
		},
	}
	f := c.Flags()
	flagvalue.Cache(f, &a.memory, "memory", "largest block cache that the database may have, such as 8GiB")
	flagvalue.Number(f, &a.target, "target", "", true, maxTarget, "wanted I/Os per Get (default: 1.1 for equally popular keys of Pebble, --dataset, --shape or --keys; elsewhere none, and advise aims at 90% of the largest possible saving)")
	flagvalue.Cache(f, &a.cache, "cache", "current size of the block cache (default: from Pebble's options, or geth's default with --dataset mainnet)")
	flagvalue.Count(f, &a.gets, "gets", "100k", 0, maxRecorded, "number of Gets to make on the database")
	flagvalue.Duration(f, &a.watched.For, "for", 31*24*time.Hour, "how long to watch a process (default 10m)")
	flagvalue.Size(f, &a.ram, "ram", "", "memory of geth's machine or control group (default: this one's)")
	settingFlags(f, a.keys.Settings())
	f.BoolVar(&a.json, "json", false, "print a record instead of text")
	scenarioFlags(c, &a.scenario, "the database or of --shape")
	liveFlag(c, &a.scenario.Open)
	return c
}

const (
	maxTarget   = 100        // beyond the worst case of any tree
	maxRecorded = 10_000_000 // Gets, which take some GiB
)

func (a *adviseFlags) run(c *cobra.Command, args []string) error {
	trace, err := identify(c, &a.keys)
	if err != nil {
		return err
	}
	q := advice.Question{Subject: twin.Subject{Keys: workload.Keys{Seed: a.keys.Seed}}, Target: cmp.Or(a.target, usualTarget), GethMemory: a.ram}
	if a.ram == 0 {
		q.GethMemory = machine.Memory()
	}
	if len(args) == 0 {
		return a.ofScenario(c, q)
	}
	pid, err := watch.Running(args[0])
	switch {
	case err != nil:
		return err
	case pid != 0:
		return a.ofProcess(c, pid, q)
	}
	if err := usage.RefuseFlags(c, "belongs to a process: leave it out", "for"); err != nil {
		return err
	}
	return a.ofDatabase(c, args[0], q, advice.Own{Keys: a.keys, Run: replay.Run{Trace: trace}})
}

// ofProcess advises for the Gets that a process makes while it is watched.
func (a *adviseFlags) ofProcess(c *cobra.Command, pid int, q advice.Question) error {
	if err := usage.RefuseFlags(c, "belongs to a directory, and a process makes its own Gets: leave it out", otherGets...); err != nil {
		return err
	}
	m := progress.Meter(c)
	defer m.Finish()
	a.watched.Show = func(r *record.Watch) {
		m.Show("watch", uint64(r.Seconds), uint64(a.watched.For.Seconds()), "s", report.WatchLine(r))
	}
	watched, err := watch.Record(c.Context(), pid, a.watched)
	if err != nil {
		return err
	}
	defer watched.Close()
	m.Finish()
	keys := workload.Keys{Files: workload.Files{Trace: watched.Trace.Path, TraceSHA256: watched.Trace.SHA256}}
	a.scenario.Open.Live = true
	return a.ofDatabase(c, watched.Dir, q, advice.Own{Keys: keys, Run: replay.Run{Trace: watched.Trace}, Live: &watched.IOsPerGet})
}

// otherGets are the flags that say which Gets are made.
var otherGets = append(workload.Excluding(new(workload.Keys).Settings(), "trace"), "trace", "gets", "live")

// ofScenario advises on a tree that is not there.
func (a *adviseFlags) ofScenario(c *cobra.Command, q advice.Question) error {
	if err := usage.RefuseFlags(c, "belongs to a process: leave it out", "for"); err != nil {
		return err
	}
	if err := usage.RefuseFlags(c, "belongs to a database: leave it out", otherGets...); err != nil {
		return err
	}
	s, err := a.scenario.Scenario(engines.All(), q.Keys)
	if err != nil {
		return err
	}
	q.DescribeScenario(s)
	if err := a.sizes(&q); err != nil {
		return err
	}
	return a.answer(c, q)
}

func (a *adviseFlags) ofDatabase(c *cobra.Command, dir string, q advice.Question, own advice.Own) error {
	d, err := database.Open(c.Context(), engines.All(), dir, a.scenario.Open)
	if err != nil {
		return err
	}
	defer d.Close()
	warn(c, d.Info().Warnings()...)
	if err := q.Describe(d); err != nil {
		return err
	}
	if err := a.sizes(&q); err != nil {
		return err
	}
	if !q.FromShape() || !own.Keys.EquallyPopular() || own.Keys.Absent > 0 {
		return a.ofOwn(c, d, q, own)
	}
	m := progress.Meter(c)
	defer m.Finish()
	err = q.Observe(c.Context(), d, a.gets, m.Step)
	if err != nil {
		return err
	}
	m.Finish()
	return a.answer(c, q)
}

// usualTarget is the aim of advice for equally popular keys, in I/Os per Get.
const usualTarget = 1.1

// ofOwn advises for Gets that are not of equally popular keys.
func (a *adviseFlags) ofOwn(c *cobra.Command, d *database.Database, q advice.Question, own advice.Own) error {
	q.Target = a.target
	if own.Run.Trace == nil {
		own.Run.Warmup, own.Run.Gets = a.gets/2, a.gets-a.gets/2
	} else {
		if err := cmp.Or(usage.RefuseFlags(c, "cannot be combined with --trace: leave one out", "gets"), own.Run.Follow(own.Run.Trace, false)); err != nil {
			return err
		}
	}
	m := progress.Meter(c)
	defer m.Finish()
	own.Run.Progress = func(done int64) { m.Show("advise", uint64(done), uint64(own.Run.Warmup+own.Run.Gets), "Gets", "") }
	answer, err := advice.AdviseOwn(c.Context(), q, d, own)
	if err != nil {
		return err
	}
	m.Finish()
	return show(c, a.json, answer, report.Advice)
}

// sizes resolves the flags that are cache sizes of the question's tree.
func (a *adviseFlags) sizes(q *advice.Question) (err error) {
	if a.cache != nil {
		if q.Present, err = a.cache.Bytes(q.Shape); err != nil {
			return err
		}
	}
	if a.memory != nil {
		if q.Memory, err = a.memory.Bytes(q.Shape); err != nil {
			return err
		}
	}
	return q.Check()
}

func (a *adviseFlags) answer(c *cobra.Command, q advice.Question) error {
	m := progress.Meter(c)
	defer m.Finish()
	q.Progress = func(done, most int64) { m.Show("advise", uint64(done), uint64(most), "Gets", "") }
	answer, err := advice.Advise(c.Context(), q)
	if err != nil {
		return err
	}
	m.Finish()
	return show(c, a.json, answer, report.Advice)
}
