package main

import (
	"errors"

	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/ethereum/chaindata"
	"getio/measure/database"
	"getio/predict/advice"
	"getio/predict/scenario"
	"getio/predict/twin"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
	"getio/tree/growth"
	"getio/tree/lsm"
)

type adviseFlags struct {
	scenario scenario.Query
	memory   *lsm.CacheSize
	target   float64
	cache    *lsm.CacheSize
	gets     int64
	seed     uint64
	json     bool
}

func adviseCommand() *cobra.Command {
	var a adviseFlags
	c := &cobra.Command{
		Use:   "advise [DIR]",
		Short: "Advise on a database's block cache, filters and blocks",
		Long: `advise predicts the I/Os per Get of a Pebble database with its present cache, the cache
sizes that hold all filters, hold all indexes or reach a target, and the effect of
last-level filters and of larger blocks. It also lists wasted space. The prediction
comes from the shape of the tree; some Gets of the database's own keys check it.

Without a directory it advises on the tree that --dataset, --shape or --keys names.
'getio advise --dataset mainnet' describes a node of Ethereum's mainnet.`,
		Example: `  getio advise /var/lib/geth/geth/chaindata
  getio advise /var/lib/geth/geth/chaindata --memory 8GiB --target 1.2
  getio advise --dataset mainnet`,
		Args: func(c *cobra.Command, args []string) error {
			switch trees := a.scenario.Trees(); {
			case len(args) == 0 && trees == 0:
				return errors.New("advise needs a directory, or a tree that --dataset, --shape or --keys names: see 'getio advise --help'")
			case len(args) == 1 && trees > 0:
				return errors.New("advise takes a directory, or a tree that --dataset, --shape or --keys names, not both: leave one out")
			case len(args) == 0:
				return nil
			}
			return directory(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return a.run(c, args) },
	}
	f := c.Flags()
	cacheVar(f, &a.memory, "memory", "most memory that the block cache may take, such as 8GiB")
	numberVar(f, &a.target, "target", "1.1", true, maxTarget, "wanted I/Os per Get")
	cacheVar(f, &a.cache, "cache", "present block cache (default: from the options file of a database that getio did not make; geth's for mainnet)")
	countVar(f, &a.gets, "gets", "100k", 0, maxRecorded, "Gets of the database's own keys, to check the prediction; 0: none")
	f.Uint64Var(&a.seed, "seed", 1, "seed of all Gets")
	f.BoolVar(&a.json, "json", false, "print a getio.advice/1 record instead")
	scenarioFlags(c, &a.scenario)
	liveFlag(c, &a.scenario.Open)
	return c
}

const (
	maxTarget   = 100        // beyond the worst case of any tree
	maxRecorded = 10_000_000 // Gets, which take some GiB
)

func (a *adviseFlags) run(c *cobra.Command, args []string) error {
	q := advice.Question{Subject: twin.Subject{Workload: twin.Workload{Seed: a.seed}}, Target: a.target}
	if len(args) == 1 {
		return a.ofDatabase(c, args[0], q)
	}
	return a.ofScenario(c, q)
}

// ofScenario advises on a tree that is not there.
func (a *adviseFlags) ofScenario(c *cobra.Command, q advice.Question) error {
	if err := refuseFlags(c, "belongs to a database: leave it out", "live", "gets"); err != nil {
		return err
	}
	s, err := a.scenario.Scenario(engines.All(), q.Workload)
	if err != nil {
		return err
	}
	q.Subject, q.Layout, q.Shards, q.Floor = s.Subject, s.Format, s.Shards, 2*s.Reserved
	if a.scenario.Dataset == growth.NameMainnet {
		q.Geth, q.Present = true, q.Reserved+advice.GethBlockBytes(advice.GethDefault)
	}
	if err := a.sizes(&q); err != nil {
		return err
	}
	return a.ask(c, q)
}

// ofDatabase advises on a database.
func (a *adviseFlags) ofDatabase(c *cobra.Command, dir string, q advice.Question) error {
	d, err := database.Open(c.Context(), engines.All(), dir, a.scenario.Open)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := q.Describe(d, []byte(chaindata.HeadHeaderKey)); err != nil {
		return err
	}
	if err := a.sizes(&q); err != nil {
		return err
	}
	m := terminal.NewProgress(c.ErrOrStderr())
	defer m.Finish()
	err = q.Observe(c.Context(), d, a.gets, func(done int64) { m.Show("observe", uint64(done), uint64(a.gets), "Gets", "") })
	if err != nil {
		return err
	}
	m.Finish()
	return a.ask(c, q)
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

// ask asks the question and prints the answer.
func (a *adviseFlags) ask(c *cobra.Command, q advice.Question) error {
	m := terminal.NewProgress(c.ErrOrStderr())
	defer m.Finish()
	q.Progress = func(done, most int64) { m.Show("advise", uint64(done), uint64(most), "Gets", "") }
	answer, err := advice.Advise(c.Context(), q)
	if err != nil {
		return err
	}
	m.Finish()
	if a.json {
		return record.WriteLine(c.OutOrStdout(), answer)
	}
	return report.Advice(c.OutOrStdout(), answer)
}
