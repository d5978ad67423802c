package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/engine/engines"
	"getio/ethereum/chain"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
	"getio/tree/readpath"
)

type chainMeasureFlags struct {
	sweep chain.Sweep
	open  database.OpenOptions
	state string
	json  bool
}

func chainMeasureCommand() *cobra.Command {
	var m chainMeasureFlags
	c := &cobra.Command{
		Use:   "measure DIR",
		Short: "Measure keys, blocks and reads per operation by cache size",
		Long: `measure opens a chaindata directory read-only with the given block cache and carries out
operations, one after another. For each operation, it reports which keys are looked up,
by category of geth's schema, how many tables and blocks that takes, and how many reads
of table files.

Operations on blocks and transactions use the client's own index. Operations on accounts
read the newest complete state, through its tries or, with --state flat, from the flat
state. Targets are drawn from what the chain holds. Every lookup is a Get of the database:
the client's own caches, which answer some of them on a node, are not there.`,
		Example: `  getio chain measure /var/lib/geth/geth/chaindata --cache 0.2%,1.7%,14%
  getio chain measure data/chain --op getBalance,getStorageAt --state flat`,
		Args: directory,
		RunE: func(c *cobra.Command, args []string) error { return m.run(c, args[0]) },
	}
	f := c.Flags()
	flagvalue.Var(f, &m.sweep.Operations, "op", "names", "", flagvalue.ListOf(flagvalue.OneOf(chain.Operations...)), "operations, comma-separated: "+units.Or(chain.Operations)+" (default: all)")
	flagvalue.Choice(f, &m.state, "state", "trie", []string{"trie", "flat"}, "read accounts and slots through the tries (trie) or from the flat state (flat)")
	flagvalue.Caches(f, &m.sweep.Caches, "0.2%,1.7%,14%", "cache sizes, comma-separated, such as 45MiB, 0.2% of the database, IP1 or IP2")
	flagvalue.Var(f, &m.sweep.Popularity.Zipf, "distribution", "name", "uniform", chain.ParseDistribution, "popularity of the targets: uniform, zipf or zipf=EXPONENT (without one: 0.99). With zipf, the newest blocks are the most popular")
	flagvalue.Var(f, &m.sweep.Measured, "ops", "count", opsAuto, parseOps, "measured operations; auto: enough to tell whether the run is steady, up to 200k")
	flagvalue.Var(f, &m.sweep.Warmup, "warmup", "count", opsAuto, parseOps, "operations before the measured ones, to fill the cache; auto: as many as are measured")
	f.StringVar(&m.sweep.Ancient, "ancient", "", "directory of the freezer (default: ancient in DIR)")
	f.Uint64Var(&m.sweep.Popularity.Seed, "seed", 1, "seed of the targets")
	shardsVar(f, &m.sweep.Shards, "shards of the block cache (default: the library's choice)")
	f.StringVar(&m.sweep.Journal.Path, "out", "", "add each record to this JSON Lines file; runs in it are not repeated")
	f.BoolVar(&m.json, "json", false, "print the records as JSON Lines")
	choiceFlags(c, &m.open)
	liveFlag(c, &m.open)
	return c
}

const opsAuto = "auto"

// parseOps reads a number of operations, or auto.
func parseOps(text string) (int64, error) {
	if text == opsAuto {
		return chain.AutoOperations, nil
	}
	return flagvalue.CountIn[int64](0, chain.MaxOperations)(text)
}

func (m *chainMeasureFlags) run(c *cobra.Command, dir string) error {
	s := &m.sweep
	s.Operations, s.Flat = unique(s.Operations), m.state == "flat"
	s.RaiseCaches = !c.Flags().Changed("cache")
	meter := terminal.NewProgress(c.ErrOrStderr())
	defer meter.Finish()
	s.Progress = meter.Show
	s.Skip = func(o chain.Operation, err error) {
		meter.Finish()
		fmt.Fprintf(c.ErrOrStderr(), "getio: %s is left out: %v\n", o, err)
	}
	results, err := s.Run(c.Context(), engines.All(), dir, m.open)
	meter.Finish()
	if len(results) > 0 && (err == nil || errors.Is(err, context.Canceled)) {
		err = errors.Join(err, m.print(c.OutOrStdout(), results))
	}
	if err != nil {
		return err
	}
	var checks readpath.Checks
	for _, r := range results {
		checks = append(checks, r.Checks...)
	}
	return checks.Err()
}

func (m *chainMeasureFlags) print(out io.Writer, results []*record.Chain) error {
	if !m.json {
		return report.Chain(out, results)
	}
	for _, r := range results {
		if err := record.WriteLine(out, r); err != nil {
			return err
		}
	}
	return nil
}

// unique removes repetitions from a list.
func unique[T comparable](list []T) (all []T) {
	for _, v := range list {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
