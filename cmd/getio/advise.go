package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"getio/predict/advice"
	"getio/predict/twin"
	"getio/record"
	"getio/report"
	"getio/tree/growth"
	"getio/tree/lsm"
)

type adviseFlags struct {
	subjectFlags
	memory *lsm.CacheSize
	target float64
	cache  *lsm.CacheSize
	gets   int64
	seed   uint64
	json   bool
}

func adviseCommand() *cobra.Command {
	var a adviseFlags
	c := &cobra.Command{
		Use:   "advise DIR",
		Short: "Which cache a database should have, and what else would change its reads",
		Long: `advise tells of a database what the cache that it has gives, which cache would do
for filters, for indexes and for a wanted number of I/Os per Get, what filters on
the last level and larger blocks would change, and what is wasted. It predicts
all that from the shape of the tree, and makes some Gets of the database to see
how far the prediction is off.

Without a directory it tells the same of a tree that --dataset, --shape or --keys
names; 'getio advise --dataset mainnet' is about a node of Ethereum's mainnet.`,
		Example: `  getio advise /var/lib/geth/chaindata
  getio advise /var/lib/geth/chaindata --memory 8GiB --target 1.2
  getio advise --dataset mainnet`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && a.trees() > 0:
				return nil
			case len(args) == 0:
				return errors.New("advise needs a directory, or a tree that --dataset, --shape or --keys names: see 'getio advise --help'")
			}
			return directory(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return a.run(c, args) },
	}
	f := c.Flags()
	cacheVar(f, &a.memory, "memory", "most memory that the block cache may take, such as 8GiB")
	numberVar(f, &a.target, "target", "1.1", true, maxTarget, "wanted I/Os per Get")
	cacheVar(f, &a.cache, "cache", "current block cache (default: as the options file of a database that getio did not make states it; for mainnet, geth's)")
	countVar(f, &a.gets, "gets", "100k", 0, maxRecorded, "Gets of the database's own keys, to see its blocks and to check the prediction; 0: none")
	f.Uint64Var(&a.seed, "seed", 1, "seed of all Gets")
	f.BoolVar(&a.json, "json", false, "print a getio.advice/1 record instead")
	a.subjectFlags.register(c)
	liveFlag(c, &a.choice)
	return c
}

func (a *adviseFlags) run(c *cobra.Command, args []string) error {
	q := advice.Question{Subject: twin.Subject{Workload: twin.Workload{Seed: a.seed}}, Target: a.target}
	if len(args) == 1 {
		return a.ofDatabase(c, args[0], q)
	}
	return a.ofShape(c, q)
}

// maxTarget is beyond the worst case of any tree.
const maxTarget = 100

// ofShape advises on a tree that is not there.
func (a *adviseFlags) ofShape(c *cobra.Command, q advice.Question) error {
	for _, name := range []string{"live", "gets"} {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s belongs to a database: leave it out", name)
		}
	}
	s, err := a.subject(q.Workload)
	if err != nil {
		return err
	}
	q.Subject, q.Layout, q.Shards, q.Floor = s.Subject, s.layout, s.shards, 2*s.Reserved
	if a.dataset == growth.NameMainnet {
		q.Geth = true
		q.Present = q.Reserved + advice.GethBlockBytes(advice.GethDefault)
	}
	if err := a.sizes(&q); err != nil {
		return err
	}
	return a.ask(c, q)
}

// sizes reads the flags that name caches of the question's tree.
func (a *adviseFlags) sizes(q *advice.Question) (err error) {
	if a.cache != nil {
		if q.Present, err = a.cache.Bytes(q.Shape); err != nil {
			return err
		}
	}
	if a.memory != nil {
		q.Memory, err = a.memory.Bytes(q.Shape)
	}
	if err == nil {
		err = q.Check()
	}
	return err
}

// ask asks the question and prints the answer.
func (a *adviseFlags) ask(c *cobra.Command, q advice.Question) error {
	m := newMeter(c)
	defer m.finish()
	q.Progress = func(done, most int64) { m.show("advise", uint64(done), uint64(most), "Gets", "") }
	answer, err := advice.Advise(c.Context(), q)
	if err != nil {
		return err
	}
	m.finish()
	if a.json {
		return record.WriteLine(c.OutOrStdout(), answer)
	}
	return report.Advice(c.OutOrStdout(), answer)
}

var errTwoTrees = errors.New("advise takes a directory, or a tree that --dataset, --shape or --keys names, not both: leave one out")
