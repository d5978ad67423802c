package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/dataset"
	"getio/outside/counter"
	"getio/outside/statedb"
	"getio/outside/stores"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
)

// stateFlags are the flags of compare-state.
type stateFlags struct {
	comparison statedb.Comparison
	engines    string
	adapters   []string
	json       bool
}

func compareStateCommand() *cobra.Command {
	var f stateFlags
	c := &cobra.Command{
		Use:   "compare-state --keys N",
		Short: "Compare the disk reads of a lookup in state databases",
		Long: `compare-state loads the same keys and values into stores of different designs. It looks up
existing and absent keys. If the store makes proofs, it also looks keys up together with
their proofs. Each store runs as an adapter (docs/adapter.md), on a private disk (a mounted image) and in a
control group, where its reads are counted (docs/external.md). Every value is compared
with what was loaded. The stores are removed at the end.

Lookups begin with empty caches. --budgets limits a store's memory and page cache together,
to a share of its size on disk. --overwrite changes the values of a share of the keys, then
repeats the lookups.

Run it as root; in a container, CAP_SYS_ADMIN is needed too. Without these rights, only the
engines of this binary are measured, by their own counts and without budgets.
With --out, run the same command again to resume.`,
		Example: `  getio compare-state --keys 1M
  getio compare-state --keys 1M,5M --engines pebblev2,mdbx --out state.jsonl
  getio compare-state --keys 1M --adapter mine='./adapter --small,cache=1'`,
		Args:        noArguments,
		Annotations: map[string]string{cleansUp: ""},
		RunE:        func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	fs, plan := c.Flags(), &f.comparison.Plan
	flagvalue.Var(fs, &f.comparison.Sizes, "keys", "counts", "", flagvalue.ListOf(flagvalue.CountIn[uint64](statedb.LeastKeys, statedb.MostKeys)), "number of keys, such as 1M; several are measured one after another: 1M,5M")
	fs.StringVar(&f.engines, "engines", "", "stores, comma-separated, as NAME or NAME:CONFIGURATION (default: all, without --adapter): "+strings.Join(stores.Names(), ", "))
	fs.StringArrayVar(&f.adapters, "adapter", nil, "a store of your own, as NAME=COMMAND or NAME:CONFIGURATION=COMMAND. ,KEY=VALUE appended to the command sets an option of the store (repeatable)")
	fs.StringVar(&plan.Values, "values", dataset.ValuesRandom, "values: random; accounts, as the chain encodes them; or pool32 (32 distinct values, which compress)")
	flagvalue.Count(fs, &plan.ValueSize, "value-size", "110", 1, statedb.MostValueSize, "bytes per value")
	fs.Uint64Var(&plan.Seed, "seed", 1, "seed of keys, values and lookups")
	flagvalue.Count(fs, &plan.Lookups, "lookups", "5k", statedb.LeastLookups, statedb.MostLookups, "lookups of each kind")
	flagvalue.Var(fs, &plan.Shares, "budgets", "shares", "1%,5%,20%", statedb.ParseShares, "budgets of memory and page cache together, as shares of the store, or none")
	flagvalue.Var(fs, &plan.Overwrite, "overwrite", "shares", "none", statedb.ParseShares, "shares of the keys to overwrite, such as 10%,100%; after each of them the lookups are repeated")
	fs.StringVar(&plan.Place.ImageIn, "disk", os.TempDir(), "directory for the images of the private disks")
	flagvalue.Size(fs, &plan.Place.Bytes, "size", "", "size of a private disk (default: an estimate of what the store needs; if that proves too small, twice as much)")
	fs.StringVar(&f.comparison.Journal.Path, "out", "", "JSON Lines file for the records; stores in it are not measured again")
	flagvalue.Duration(fs, &plan.Timeout, "timeout", maxTimeout, "how long an adapter may be silent, such as 30s (default: 1m for lookups, 10m for loads)")
	fs.BoolVar(&f.json, "json", false, "print getio.state/3 records, one per line")
	return c
}

func (f *stateFlags) run(c *cobra.Command) error {
	p := &f.comparison
	if p.Outside = counter.Allowed(); !p.Outside {
		for _, name := range []string{"budgets", "size"} {
			if c.Flags().Changed(name) {
				return fmt.Errorf("--%s needs reads that are counted from outside, which only root with CAP_SYS_ADMIN can do: run as root, or leave it out", name)
			}
		}
	}
	p.Sizes, p.Place.State = unique(p.Sizes), counterState
	if err := p.Check(); err != nil {
		return misuse{err}
	}
	var names []string
	if f.engines != "" {
		names = strings.Split(f.engines, ",")
	}
	selected, missing, err := stores.Select(names, f.adapters, p.Outside)
	if err != nil {
		return err
	}
	p.Stores = selected
	for _, text := range missing {
		fmt.Fprintln(c.ErrOrStderr(), text)
	}
	m := terminal.NewProgress(c.ErrOrStderr())
	defer m.Finish()
	p.Progress = func(phase string, done, total uint64, unit string) { m.Show(phase, done, total, unit, "") }
	p.Finish = func(r *record.State, kept bool) error {
		if kept {
			fmt.Fprintf(c.ErrOrStderr(), "%s with %s keys: kept in %s, measured %s\n", r.Label, humanize.Comma(int64(r.Keys)), p.Journal.Path, r.Time.Format("2006-01-02 15:04 MST"))
		}
		return f.print(c, r)
	}
	p.Unmeasured = func(err error) { fmt.Fprintln(c.ErrOrStderr(), err) }
	p.Fail = func(r *record.State) error {
		for _, check := range r.Checks.Failed() {
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s: %s\n", r.Label, check.Name, check.Detail)
		}
		return errors.Join(f.print(c, r), r.Checks.Err())
	}
	results, err := p.Run(c.Context())
	m.Finish()
	if len(results) == 0 || f.json {
		return err
	}
	return errors.Join(report.States(c.OutOrStdout(), results), err)
}

// print prints a record with --json.
func (f *stateFlags) print(c *cobra.Command, r *record.State) error {
	if !f.json {
		return nil
	}
	return record.WriteLine(c.OutOrStdout(), r)
}
