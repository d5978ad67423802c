package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/experiment/comparestate"
	"getio/numbers/units"
	"getio/report"
	"getio/statedb/counter"
	"getio/statedb/stores"
	"getio/workload/dataset"
)

type stateFlags struct {
	comparison comparestate.Comparison
	engines    []string
	adapters   []string
	json       bool
}

const comparedStates = "compare-state --keys N"

func compareStateCommand() *cobra.Command {
	var f stateFlags
	c := &cobra.Command{
		Use:   comparedStates,
		Short: "Compare the disk reads of a lookup in state databases",
		Long: `compare-state loads the same keys into stores of different designs. In each store, it
looks up keys that exist, keys that do not exist, and keys with their Merkle proofs, and
counts the disk reads. It compares every value with what was loaded. Each store gets a
temporary disk of its own.

Run it as root. Without root, it measures only Pebble, LevelDB, RocksDB and geth's databases.
With --out, repeat an interrupted command to resume it.

'getio plan compare-state' divides this work into cells that a scheduler can run.`,
		Example: `  getio compare-state --keys 1M
  getio compare-state --keys 1M,5M --engines pebblev2,mdbx --out state.jsonl
  getio compare-state --keys 1M --adapter mine='./adapter --small'`,
		Args: usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c)
	fs, plan := c.Flags(), &f.comparison.Plan
	flagvalue.TempDir(fs, &plan.Place.ImageIn, "disk", "directory for the images of the temporary disks")
	fs.VarP(flagvalue.Path(&f.comparison.Journal.Path, flagvalue.KindFile), "out", "o", "file to keep records in; stores whose records are there already are skipped")
	fs.BoolVar(&f.json, "json", false, "print records instead of text")
	return c
}

// register registers what a comparison and its plan share.
func (f *stateFlags) register(c *cobra.Command) {
	fs, plan := c.Flags(), &f.comparison.Plan
	flagvalue.Var(fs, &f.comparison.Sizes, "keys", "counts", "", flagvalue.ListOf(units.CountIn[uint64](comparestate.LeastKeys, comparestate.MostKeys)), "numbers of keys, comma-separated, such as 1M,5M")
	flagvalue.Names(fs, &f.engines, "engines", stores.Names(), "stores, comma-separated (default: all): "+strings.Join(stores.Names(), ", "))
	fs.StringArrayVar(&f.adapters, "adapter", nil, "a store of your own, as `NAME=COMMAND` (statedb/adapter/protocol.md); repeatable")
	flagvalue.Choice(fs, &plan.Values, "values", dataset.ValuesRandom, dataset.ValueKinds, "random, accounts or pool32")
	flagvalue.Count(fs, &plan.ValueSize, "value-size", "110", 1, comparestate.MostValueSize, "bytes per value")
	fs.Uint64Var(&plan.Seed, "seed", 1, "seed of keys, values and lookups")
	flagvalue.Count(fs, &plan.Lookups, "lookups", "5k", comparestate.LeastLookups, comparestate.MostLookups, "lookups of each kind")
	flagvalue.Var(fs, &plan.Shares, "budgets", "shares", "1%,5%,20%", comparestate.ParseShares, "limits on the sum of memory and page cache, as shares of the store's size")
	flagvalue.Var(fs, &plan.Overwrite, "overwrite", "shares", "none", comparestate.ParseShares, "shares of the keys to overwrite, such as 10%,100%; the lookups are repeated after each")
	flagvalue.Size(fs, &plan.Place.Bytes, "size", "", "size of each temporary disk (default: enough for the keys)")
	flagvalue.Duration(fs, &plan.Timeout, "timeout", maxTimeout, "how long an adapter may take to answer, such as 30m")
}

// parse checks the flags, and finds the stores.
func (f *stateFlags) parse(c *cobra.Command) (err error) {
	p, outside := &f.comparison, counter.Allowed()
	p.Sizes, p.Place.State = unique(p.Sizes), counterState
	if err := p.Count(outside, c.Flags().Changed); err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return usage.Wrap(err)
	}
	var missing []string
	p.Stores, missing, err = stores.Select(f.engines, f.adapters, outside)
	for _, text := range missing {
		fmt.Fprintln(c.ErrOrStderr(), text)
	}
	return err
}

func (f *stateFlags) run(c *cobra.Command) error {
	p := &f.comparison
	if err := p.Resume(); err != nil {
		return usage.Wrap(err)
	}
	if err := f.parse(c); err != nil {
		return err
	}
	results, err := progress.States(c, p, f.json)
	if len(results) == 0 || f.json {
		return err
	}
	return errors.Join(report.States(c.OutOrStdout(), results), err)
}
