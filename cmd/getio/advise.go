package main

import (
	"cmp"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"getio/client/geth"
	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/lsm"
	"getio/measure"
	"getio/measure/database"
	"getio/predict/advice"
	"getio/predict/replay"
	"getio/predict/scenario"
	"getio/predict/twin"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
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
	database string    // that it has open
	json     bool
}

func adviseCommand() *cobra.Command {
	a := adviseFlags{watched: watch.Run{For: 10 * time.Minute, Unprivileged: true}}
	c := &cobra.Command{
		Use:   "advise [DIR|PID|NAME]",
		Short: "Advise on a database's block cache, filters and blocks",
		Long: `advise says which block cache to set, or that nothing is to be gained. For geth, it names the
value of --cache and, beyond geth's limit, of --cache.database. Unless --target says what
is wanted, it aims at 90% of what a larger cache can save. For Pebble with equally popular
keys, it also says what other filters or larger blocks would save.

It computes reads for caches of many sizes, and then measures with the present and the advised
one. This takes up to a minute on a database of up to 1 GiB, and longer on larger ones.

The Gets can come from a running client (give its name or PID, as root), from a
recorded trace (--trace), or from flags that describe them. Otherwise, advise assumes that
all keys exist and are equally popular. A client asks for some keys far more often than for
others, so it usually reads less than this advice says.

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
	flagvalue.Number(f, &a.target, "target", "", true, maxTarget, "wanted I/Os per Get (default: 90% of the largest possible saving)")
	flagvalue.Cache(f, &a.cache, "cache", "current size of the block cache, or geth's --cache, such as 4096 (default: from Pebble's options, or the --cache of the process; geth's default with --dataset mainnet)")
	flagvalue.Count(f, &a.gets, "gets", "", 0, maxRecorded, "number of Gets to compute with, half of them to fill caches, and to measure (default: 300k to compute with). 0 measures nothing, and computes from the shape of a Pebble database")
	flagvalue.Duration(f, &a.watched.For, "for", 31*24*time.Hour, "how long to watch a process (default 10m)")
	flagvalue.Dir(f, &a.database, "database", "", "directory of the database of the process (default: the largest Pebble database; without one, the largest goleveldb database)")
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
	q := advice.Question{Subject: twin.Subject{Keys: workload.Keys{Seed: a.keys.Seed}}, Target: a.target, MachineSize: cmp.Or(a.ram, machine.Memory())}
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
	if err := usage.RefuseFlags(c, "belongs to a process: leave it out", "for", "database"); err != nil {
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
	flags, given := geth.FlagsIn(watch.Arguments(pid))
	if given {
		q.Running = &flags
	}
	watched, err := watch.Record(c.Context(), pid, a.watched, watch.Advisable{Database: a.database, Cached: given || a.cache != nil})
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
	if err := usage.RefuseFlags(c, "belongs to a process: leave it out", "for", "database"); err != nil {
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
	if err := a.sizes(&q, func(size lsm.CacheSize) (int64, error) { return q.Client.CacheBytes(size, q.Shape) }); err != nil {
		return err
	}
	m := progress.Meter(c)
	defer m.Finish()
	answer, err := a.simulate(c, q, m)
	if err != nil {
		return err
	}
	m.Finish()
	return show(c, a.json, answer, report.Advice)
}

func (a *adviseFlags) simulate(c *cobra.Command, q advice.Question, m *terminal.Progress) (*record.Advice, error) {
	q.Progress = func(done, most int64) { m.Show("advise", uint64(done), uint64(most), "Gets", "") }
	return advice.Advise(c.Context(), q)
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
	if err := a.sizes(&q, d.CacheBytes); err != nil {
		return err
	}
	gets := c.Flags().Changed("gets")
	switch {
	case own.Run.Trace != nil:
		if err := cmp.Or(usage.RefuseFlags(c, "cannot be combined with --trace: leave one out", "gets"), own.Run.Follow(own.Run.Trace, false)); err != nil {
			return err
		}
	case gets && a.gets == 1:
		return usage.Errorf("invalid --gets 1: want 2 or more, or 0 to measure nothing")
	case gets && a.gets == 0 && !q.FollowsFromShape(own.Keys):
		return usage.Errorf("invalid --gets 0: the reads of these Gets do not follow from the shape of the tree; leave --gets out")
	case gets:
		own.Run.Warmup, own.Run.Gets = a.gets/2, a.gets-a.gets/2
	default:
		own.Run.Warmup, own.Run.Gets = usualWarmup, 2*usualWarmup
	}
	own.Same = own.Run.Trace != nil || gets
	m := progress.Meter(c)
	defer m.Finish()
	if q.FollowsFromShape(own.Keys) {
		if err := q.Observe(c.Context(), d, m.Step); err != nil {
			return err
		}
	}
	var answer *record.Advice
	if q.FollowsFromShape(own.Keys) && (!d.Small() || gets && a.gets == 0) {
		answer, err = a.simulate(c, q, m)
	} else {
		own.Run.Progress = func(done int64) { m.Show("compute", uint64(done), uint64(own.Run.Warmup+own.Run.Gets), "Gets", "") }
		answer, err = advice.AdviseOwn(c.Context(), q, d, &own)
	}
	if err == nil && !(gets && a.gets == 0) {
		err = q.Measure(c.Context(), d, &own, answer, defaultWorkers(), func(s measure.Stage) { m.Show(s.Progress()) })
	}
	if err != nil {
		return err
	}
	m.Finish()
	return show(c, a.json, answer, report.Advice)
}

// usualWarmup is the number of Gets that fill the simulated caches, as in curve. Twice as many are counted.
const usualWarmup = 100_000

// sizes converts the flags that are cache sizes to bytes.
func (a *adviseFlags) sizes(q *advice.Question, bytes func(lsm.CacheSize) (int64, error)) (err error) {
	for size, to := range map[*lsm.CacheSize]*int64{a.cache: &q.Present, a.memory: &q.Memory} {
		if size == nil {
			continue
		}
		if *to, err = bytes(*size); err != nil {
			return err
		}
	}
	return q.Check()
}
